/*
 * Proves that a fleet comes from nothing and goes to nothing: twelve runs at once make worker pods appear, as many as allowed and not
 * more; all runs end once, with one order each; afterwards no worker pod is left. Says how long the first action of a run takes
 * when its worker has to be started (the image is on the node) and when a worker is warm.
 */
import { until } from '../harness/until.ts';
import { ClusterHouse } from './house.ts';
import { readEnded, strangers, untilFirstAction, wrongWith } from './invariants.ts';
import { orderRun } from './orders.ts';
import { PodWatch } from './pods.ts';

const MINUTES = 60_000;
const MAX = 4;

describe('a fleet at zero', () => {
  let house: ClusterHouse;
  let watch: PodWatch;
  beforeAll(async () => {
    house = await ClusterHouse.install({
      fleets: { browser: { slots: 2, min: 0, max: MAX, idle: 1, cooldownSeconds: 6 } },
    });
    watch = new PodWatch(house.name);
  }, 5 * MINUTES);
  afterAll(async () => {
    await watch?.close();
    await house?.end();
  }, 2 * MINUTES);

  test(
    'wakes for twelve runs, carries them all out, and goes to zero again',
    () =>
      house.told(async () => {
        const { client } = house;
        expect(await house.workers()).toEqual([]);
        const submitted = await Promise.all(Array.from({ length: 12 }, () => client.submit(orderRun(house.site))));
        const ids = submitted.map(({ id }) => id);
        await Promise.all(ids.map((id) => client.ended(id, 4 * MINUTES)));
        // A worker is idle now, and not yet cold.
        const { id: late } = await client.submit(orderRun(house.site));
        await client.ended(late, 1 * MINUTES);
        await until('no worker pod is left', async () => (await house.workers()).length === 0, 2 * MINUTES, 500);

        const all = await readEnded(house, [...ids, late]);
        expect(wrongWith(all)).toEqual([]);
        expect(await strangers(house, [...ids, late])).toEqual([]);
        expect(all.map(({ run }) => run.epoch)).toEqual(Array.from({ length: 13 }, () => 1));
        const { waiting, running, workers, conditions } = await house.fleet();
        expect({ waiting, running, workers, conditions }).toEqual({
          waiting: 0,
          running: 0,
          workers: [],
          conditions: [],
        });

        const used = new Set(all.map(({ run }) => run.worker));
        expect(used.size).toBeGreaterThan(1);
        expect(watch.all.map(({ name }) => name)).toEqual(expect.arrayContaining([...used]));
        expect(watch.all.length).toBeLessThanOrEqual(MAX);
        for (const life of watch.all) expect(life).toMatchObject({ deletedAlive: false, exitCode: 0, gone: true });

        const warm = all.at(-1);
        const cold = all
          .slice(0, -1)
          .map(untilFirstAction)
          .sort((a, b) => a - b);
        const seconds = (ms = NaN) => `${(ms / 1000).toFixed(2)} s`;
        console.info(
          `submit → first action: cold ${seconds(cold[0])} (the first of 12 runs; the last, which waited for a slot: ${seconds(cold.at(-1))}), warm ${warm ? seconds(untilFirstAction(warm)) : '-'}; ${used.size} workers`,
        );
      }),
    7 * MINUTES,
  );
});
