/*
 * Proves that what goes wrong with a fleet has a name, and is that fleet's alone: one whose image does not exist, one that asks for a
 * hundred CPUs and one that runs out of memory say so in GET /v1/fleets/:name, as Kubernetes Events and as a metric, while the
 * fleet beside them carries out a run and has nothing to complain about.
 */
import type { ConditionReason } from '@pilothouse/contract';
import { until } from '../harness/until.ts';
import { ClusterHouse } from './house.ts';
import { readEnded, wrongWith } from './invariants.ts';
import { orderRun } from './orders.ts';

const MINUTES = 60_000;
const resources = (requests: object, limits: object = {}) => ({
  requests: { cpu: '20m', memory: '32Mi', ...requests },
  limits,
});
const one = { slots: 1, min: 1, max: 1, idle: 0 };

const broken = {
  nowhere: { ...one, image: { repository: 'pilothouse/there-is-none', tag: 'never' } },
  giant: { ...one, resources: resources({ cpu: '100' }) },
  tight: { ...one, resources: resources({}, { memory: '48Mi' }) },
};
const names: Record<keyof typeof broken, ConditionReason> = {
  nowhere: 'ImagePullFailed',
  giant: 'Unschedulable',
  tight: 'OutOfMemory',
};

describe('fleets that cannot start', () => {
  let house: ClusterHouse;
  beforeAll(async () => {
    house = await ClusterHouse.install({ fleets: { browser: { ...one, min: 0, cooldownSeconds: 300 }, ...broken } });
  }, 5 * MINUTES);
  afterAll(() => house?.end(), 2 * MINUTES);

  test.each(Object.entries(names))(
    '%s: %s, with a message, as a condition, an Event and a metric',
    (fleet, reason) =>
      house.told(async () => {
        const condition = await until(
          `${fleet} has the condition ${reason}`,
          async () => (await house.fleet(fleet)).conditions.find((found) => found.reason === reason),
          MINUTES,
          500,
        );
        expect(condition.message).toMatch(
          { nowhere: /there-is-none/, giant: /cpu/i, tight: /memory/ }[fleet] ?? 'a fleet that is known',
        );
        const line = `pilothouse_fleet_condition{fleet="${fleet}",reason="${reason}"} 1`;
        const script = `fetch('http://127.0.0.1:9090/metrics').then(async (r) => console.log(await r.text()))`;
        const scrape = () => house.ask('exec', `deployment/${house.name}-fleet`, '--', 'node', '-e', script);
        await until(`the controller shows ${line}`, async () => (await scrape()).includes(line), MINUTES, 1000);
        const told = await house.ask(
          'get',
          'events',
          '--field-selector',
          `reason=${reason}`,
          '-o',
          'jsonpath={.items[*].message}',
        );
        expect(told).toContain(`Fleet ${fleet}: `);
        // Records of those that ended stay for a moment, so that their logs can be read.
        const alive = ['--field-selector', 'status.phase!=Failed,status.phase!=Succeeded'];
        const pods = await house.ask('get', 'pods', '-l', `pilothouse.dev/fleet=${fleet}`, ...alive, '-o', 'name');
        expect(pods.split('\n').length).toBeLessThanOrEqual(1);
      }),
    3 * MINUTES,
  );

  test(
    'leave the fleet beside them alone',
    () =>
      house.told(async () => {
        const { client } = house;
        const { id } = await client.submit(orderRun(house.site, [], { fleet: 'browser' }));
        const run = await client.ended(id, 2 * MINUTES);
        expect(wrongWith(await readEnded(house, [id]))).toEqual([]);
        expect(run).toMatchObject({ fleet: 'browser', epoch: 1 });
        const { workers, conditions } = await house.fleet('browser');
        expect(conditions).toEqual([]);
        expect(workers.map(({ name, state }) => [name, state])).toEqual([[run.worker, 'ready']]);
        // What is wrong is each one's own.
        for (const [fleet, reason] of Object.entries(names))
          expect([fleet, (await house.fleet(fleet)).conditions.map((found) => found.reason)]).toEqual([
            fleet,
            [reason],
          ]);
      }),
    4 * MINUTES,
  );

  test(
    'give nothing up: what waits for such a fleet is carried out once it is mended',
    () =>
      house.told(async () => {
        const { id } = await house.client.submit(orderRun(house.site, [], { fleet: 'nowhere' }));
        expect((await house.client.run(id)).status).toBe('queued');
        await house.helm('upgrade', { fleets: { browser: null, nowhere: one } });
        await house.client.ended(id, 3 * MINUTES);
        expect(wrongWith(await readEnded(house, [id]))).toEqual([]);
      }),
    6 * MINUTES,
  );
});
