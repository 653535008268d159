/*
 * Proves that neither scaling down nor another pod template costs a run anything: while long runs are at work, `helm upgrade` gives the
 * fleet another label and room for one worker only (which also replaces the controller and the API). No run fails, is taken over or handed back;
 * every pod that held one ends by itself when its run is over; what comes next is carried out by a pod of the new template.
 */
import { until } from '../harness/until.ts';
import { ClusterHouse } from './house.ts';
import { attemptsOf, readEnded, strangers, wrongWith } from './invariants.ts';
import { orderRun } from './orders.ts';
import { PodWatch } from './pods.ts';

const MINUTES = 60_000;
const fleets = (more: object) => ({ fleets: { browser: { slots: 1, min: 0, idle: 0, cooldownSeconds: 2, ...more } } });
const before = fleets({ max: 3, labels: { generation: 'one' } });
const after = fleets({ max: 1, labels: { generation: 'two' } });

describe('a fleet whose runs take long', () => {
  let house: ClusterHouse;
  let watch: PodWatch;
  beforeAll(async () => {
    house = await ClusterHouse.install({ ...before, 'api.replicas': 2 });
    watch = new PodWatch(house.name);
  }, 5 * MINUTES);
  afterAll(async () => {
    await watch?.close();
    await house?.end();
  }, 2 * MINUTES);

  test(
    'gets fewer workers and another template, and every run goes on where it is',
    () =>
      house.told(async () => {
        const { client } = house;
        const submit = async (pages: number[]) => (await client.submit(orderRun(house.site, pages))).id;
        // The second ends long before the others: its worker is idle, above the new `max` and of the old template.
        const pages = Array.from({ length: 5 }, () => 10_000);
        const ids = await Promise.all([submit(pages), submit(pages.slice(0, 1)), submit(pages)]);
        await Promise.all(ids.map((id) => client.event(id, ({ type }) => type === 'step.acted', 2 * MINUTES)));
        const holders = await Promise.all(ids.map(async (id) => (await client.run(id)).worker));

        await house.helm('upgrade', { ...after, 'api.replicas': 2 });
        await house.rolledOut(`deployment/${house.name}-fleet`);
        const during = await Promise.all(ids.map((id) => client.run(id)));
        expect(during.map(({ status }) => status)).toEqual(['running', expect.any(String), 'running']);

        await house.settled();
        await Promise.all(ids.map((id) => client.ended(id, 3 * MINUTES)));
        await until('no worker pod is left', async () => (await house.workers()).length === 0, 2 * MINUTES, 500);
        const next = await submit([]);
        ids.push(next);
        await client.ended(next, 2 * MINUTES);
        await until('no worker pod is left', async () => (await house.workers()).length === 0, 2 * MINUTES, 500);

        const all = await readEnded(house, ids);
        expect(wrongWith(all)).toEqual([]);
        expect(await strangers(house, ids)).toEqual([]);
        expect(all.map((one) => [one.run.epoch, attemptsOf(one)])).toEqual(ids.map(() => [1, 1]));
        expect(all.map(({ run }) => run.worker).slice(0, 3)).toEqual(holders);

        const lives = new Map(watch.all.map((life) => [life.name, life]));
        const held = all.map(({ run }) => lives.get(run.worker ?? ''));
        for (const life of held) expect(life).toMatchObject({ deletedAlive: false, exitCode: 0, gone: true });
        expect(held.map((life) => life?.labels['generation'])).toEqual(['one', 'one', 'one', 'two']);
      }),
    7 * MINUTES,
  );
});
