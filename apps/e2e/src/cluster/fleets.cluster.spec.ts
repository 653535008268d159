/*
 * Tests that the problem of one fleet is named and does not affect others. One installation has fleets whose image
 * does not exist, that request a hundred CPUs, that run out of memory at the start, or whose page exhausts memory.
 * Each reports its problem in GET /v1/fleets/:name, as Kubernetes Events and as a metric. Another fleet scales from
 * zero and to zero: twelve simultaneous runs create worker pods up to the maximum; all runs end once, with one order
 * each; afterwards no worker pod is left. Removed fleets remove their pods. Reports the time to the first action with
 * a cold worker (image on the node) and with a warm one.
 */
import type { ConditionReason } from '@pilothouse/contract';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { readEnded, strangers, untilFirstAction, wrongWith } from './cluster-invariants.ts';
import { orderRun } from './order-workflow.ts';
import { greedyPage, toPages } from './cluster-pages.ts';
import { MINUTES, scene } from './cluster-scene.fixture.ts';

const MAX = 4;
const one = { slotsPerWorker: 1, minWorkers: 1, maxWorkers: 1, idleSlots: 0 };
const resources = (requests: object, limits: object = {}) => ({
  requests: { cpu: '20m', memory: '32Mi', ...requests },
  limits,
});

const broken = {
  nowhere: { ...one, image: { repository: 'pilothouse/there-is-none', tag: 'never' } },
  giant: { ...one, resources: resources({ cpu: '100' }) },
  tight: { ...one, resources: resources({}, { memory: '48Mi' }) },
};
/** The reported reason and message, and the Event of the cluster, if any. */
const names: Record<keyof typeof broken, { reason: ConditionReason; says: RegExp; event?: string }> = {
  nowhere: { reason: 'ImagePullFailed', says: /there-is-none/, event: 'Failed' },
  giant: { reason: 'Unschedulable', says: /cpu/i, event: 'FailedScheduling' },
  tight: { reason: 'OutOfMemory', says: /memory/ },
};

describe('an installation with fleets that cannot start', () => {
  const at = scene(() =>
    ClusterInstallation.install({
      fleets: {
        browser: { slotsPerWorker: 2, minWorkers: 0, maxWorkers: MAX, idleSlots: 0, cooldownSeconds: 6 },
        greedy: {
          ...one,
          minWorkers: 0,
          cooldownSeconds: 300,
          resources: resources({}, { memory: '800Mi' }),
          egress: { internet: false, allow: [toPages], allowPrivate: ['private'] },
        },
        ...broken,
      },
    }),
  );

  /** Waits until a fleet reports a problem with this name. */
  const condition = (fleet: string, reason: ConditionReason) =>
    until(
      `${fleet} has the condition ${reason}`,
      async () => (await at.installation.fleet(fleet)).conditions.find((found) => found.reason === reason),
      MINUTES,
      500,
    );

  /** Time of the first Event of the cluster for a pod of a fleet, in milliseconds since 1970. */
  async function firstReports(fleet: string, reason: string): Promise<number> {
    const selected = ['--field-selector', `reason=${reason},involvedObject.kind=Pod`, '-o', 'json'];
    const { items } = JSON.parse(await at.installation.ask('get', 'events', ...selected)) as {
      items: { involvedObject: { name: string }; firstTimestamp: string | null; eventTime: string | null }[];
    };
    const times = items
      .filter(({ involvedObject: { name } }) => name.startsWith(`${fleet}-`))
      .map(({ firstTimestamp, eventTime }) => Date.parse(firstTimestamp ?? eventTime ?? ''));
    expect(times).not.toEqual([]);
    return Math.min(...times);
  }

  test.each(Object.entries(names))(
    'says of %s what is wrong, with a message, as a condition, an Event and a metric',
    (fleet, { reason, says, event }) =>
      at.installation.told(async () => {
        const { installation } = at;
        const { message, since } = await condition(fleet, reason);
        expect(message).toMatch(says);
        if (event) {
          const later = (Date.parse(since) - (await firstReports(fleet, event))) / 1000;
          console.info(`${reason}: named ${later.toFixed(1)} s after the cluster told it`);
          // (Events have a resolution of one second.)
          expect(later).toBeLessThanOrEqual(10);
        }
        const line = `pilothouse_fleet_condition{fleet="${fleet}",reason="${reason}"} 1`;
        await until(
          `the controller shows ${line}`,
          async () => (await installation.scrape()).includes(line),
          MINUTES,
          1000,
        );
        const selected = ['--field-selector', `reason=${reason}`, '-o', 'jsonpath={.items[*].message}'];
        expect(await installation.ask('get', 'events', ...selected)).toContain(`Fleet ${fleet}: `);
        // Records of ended pods stay briefly, so that their logs can be read.
        const alive = ['--field-selector', 'status.phase!=Failed,status.phase!=Succeeded'];
        const pods = await installation.ask(
          'get',
          'pods',
          '-l',
          `pilothouse.dev/fleet=${fleet}`,
          ...alive,
          '-o',
          'name',
        );
        expect(pods.split('\n').length).toBeLessThanOrEqual(1);
      }),
    3 * MINUTES,
  );

  test(
    'wakes another fleet for twelve runs, carries them all out, and lets it go to zero again',
    () =>
      at.installation.told(async () => {
        const { installation, watch } = at;
        const { client } = installation;
        const order = { fleet: 'browser' };
        expect(await installation.workers('browser')).toEqual([]);
        const submitted = await Promise.all(
          Array.from({ length: 12 }, () => client.submit(orderRun(installation.site, [], order))),
        );
        const ids = submitted.map(({ id }) => id);
        await Promise.all(ids.map((id) => client.waitForEnd(id, 4 * MINUTES)));
        // A worker is idle now and still warm.
        const { id: late } = await client.submit(orderRun(installation.site, [], order));
        await client.waitForEnd(late, MINUTES);
        const empty = async () => (await installation.workers('browser')).length === 0;
        await until('no worker pod is left', empty, 2 * MINUTES, 500);

        const all = await readEnded(installation, [...ids, late]);
        expect(wrongWith(all)).toEqual([]);
        expect(await strangers(installation, [...ids, late])).toEqual([]);
        expect(all.map(({ run }) => run.epoch)).toEqual(Array.from({ length: 13 }, () => 1));
        const { waiting, running, workers, conditions } = await installation.fleet();
        expect({ waiting, running, workers, conditions }).toEqual({
          waiting: 0,
          running: 0,
          workers: [],
          conditions: [],
        });

        const used = new Set(all.map(({ run }) => run.worker));
        expect(used.size).toBeGreaterThan(1);
        const lives = watch.all.filter(({ labels }) => labels['pilothouse.dev/fleet'] === 'browser');
        expect(lives.map(({ name }) => name)).toEqual(expect.arrayContaining([...used]));
        expect(lives.length).toBeLessThanOrEqual(MAX);
        for (const life of lives) expect(life).toMatchObject({ deletedAlive: false, exitCode: 0, gone: true });
        // The other problems are unchanged.
        for (const [fleet, { reason }] of Object.entries(names))
          expect([fleet, (await installation.fleet(fleet)).conditions.map((found) => found.reason)]).toEqual([
            fleet,
            [reason],
          ]);

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

  test(
    'names it when a page takes all memory of a worker, which lives on where the kernel may take the page alone',
    () =>
      at.installation.told(async () => {
        const { installation, watch } = at;
        const { client } = installation;
        const url = await greedyPage(installation);
        const visit = (path: string, ...more: object[]) =>
          client.submit({
            fleet: 'greedy',
            definition: {
              name: 'greedy',
              timeout: 120,
              steps: [{ action: 'navigate', url: `${url}${path}` }, ...more],
            },
          });
        const { id: before } = await visit('state');
        expect((await client.waitForEnd(before, 2 * MINUTES)).status).toBe('completed');
        const { worker } = await client.run(before);
        // With cgroup v2 Kubernetes kills all processes of a container together, unless the kubelet sets
        // `singleProcessOOMKill`.
        const group = ['sh', '-c', 'cat /sys/fs/cgroup/memory.oom.group 2>/dev/null || echo 0'];
        const together = (await installation.ask('exec', worker ?? '', '--', ...group)) === '1';

        const never = { condition: { visible: { role: 'heading', name: 'Never' } }, timeout: 60 };
        const { id } = await visit('', { action: 'waitFor', ...never });
        const { message } = await condition('greedy', 'OutOfMemory');
        const run = await client.waitForEnd(id, 3 * MINUTES);
        expect(run).toMatchObject({ status: 'failed', error: { code: 'POISON_RUN' } });
        console.info(
          `greedy: "${message}"; the run ended with ${run.error?.code} (${run.error?.message}) in attempt ${run.epoch}; processes of a container go ${together ? 'together' : 'alone'}`,
        );
        if (together) expect(message).toContain('its container took more than its limit');
        else {
          expect(message).toContain(`worker ${worker} ran out of memory (killed in its cgroup; the worker goes on)`);
          const { id: after } = await visit('state');
          expect(await client.waitForEnd(after, 2 * MINUTES)).toMatchObject({ status: 'completed', worker });
          expect(watch.of(worker)).toMatchObject({ exitCode: null, gone: false });
        }
        expect((await installation.fleet('browser')).conditions).toEqual([]);
      }),
    6 * MINUTES,
  );

  test(
    'gives nothing up: what waits for such a fleet is carried out once it is mended, and what was taken away goes',
    () =>
      at.installation.told(async () => {
        const { client, site } = at.installation;
        const { id } = await client.submit(orderRun(site, [], { fleet: 'nowhere' }));
        expect((await client.run(id)).status).toBe('queued');
        await at.installation.helm('upgrade', { fleets: { browser: null, nowhere: one } });
        await client.waitForEnd(id, 3 * MINUTES);
        expect(wrongWith(await readEnded(at.installation, [id]))).toEqual([]);
        // Fleets that the values no longer contain are removed, including those that never started.
        const left = async () => (await at.installation.workers()).filter((name) => !name.startsWith('nowhere-'));
        await until(
          'no worker of a fleet that was taken away is left',
          async () => (await left()).length === 0,
          2 * MINUTES,
          500,
        );
      }),
    6 * MINUTES,
  );
});
