/*
 * Tests that the problem of one fleet is named and does not affect others. Four fleets are broken: the image does not
 * exist, it requests a hundred CPUs, it runs out of memory at the start, or its page exhausts memory. Each reports its
 * problem in GET /v1/fleets/:name, as Kubernetes Events and as a metric.
 * Another fleet scales from zero and to zero. Twelve simultaneous runs create worker pods up to the maximum. All runs
 * end once, with one order each. Afterwards no worker pod is left. Removed fleets remove their pods. Reports the time
 * to the first action with a cold worker (image on the node) and with a warm one.
 */
import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { readEndedRuns, unknownOrders, untilFirstAction, violationsOf } from './cluster-invariants.ts';
import { orderRun } from './order-workflow.ts';
import { serveMemoryExhaustingPage, toPages } from './cluster-pages.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

const MAX = 4;
const singleWorker = { slotsPerWorker: 1, minWorkers: 1, maxWorkers: 1, idleSlots: 0 };
const resources = (requests: object, limits: object = {}) => ({
  requests: { cpu: '20m', memory: '32Mi', ...requests },
  limits,
});

const brokenFleets = {
  nowhere: { ...singleWorker, image: { repository: 'pilothouse/there-is-none', tag: 'never' } },
  giant: { ...singleWorker, resources: resources({ cpu: '100' }) },
  tight: { ...singleWorker, resources: resources({}, { memory: '48Mi' }) },
};
/** The reported reason and message, and the Event of the cluster, if any. */
const expectedConditions: Record<
  keyof typeof brokenFleets,
  { reason: ConditionReason; message: RegExp; event?: string }
> = {
  nowhere: { reason: 'ImagePullFailed', message: /there-is-none/, event: 'Failed' },
  giant: { reason: 'Unschedulable', message: /cpu/i, event: 'FailedScheduling' },
  tight: { reason: 'OutOfMemory', message: /memory/ },
};

describe('an installation with fleets that cannot start', () => {
  const scene = useClusterInstallation(() =>
    ClusterInstallation.install({
      fleets: {
        browser: { slotsPerWorker: 2, minWorkers: 0, maxWorkers: MAX, idleSlots: 0, cooldownSeconds: 6 },
        greedy: {
          ...singleWorker,
          minWorkers: 0,
          cooldownSeconds: 300,
          resources: resources({}, { memory: '800Mi' }),
          egress: { internet: false, allow: [toPages], allowPrivate: ['private'] },
        },
        ...brokenFleets,
      },
    }),
  );

  /** Waits until a fleet reports a problem with this name. */
  const waitForCondition = (fleet: string, reason: ConditionReason) =>
    until(
      `${fleet} has the condition ${reason}`,
      async () => (await scene.installation.fleet(fleet)).conditions.find((condition) => condition.reason === reason),
      MINUTES,
      500,
    );

  /** Time of the first Event of the cluster for a pod of a fleet, in milliseconds since 1970. */
  async function firstEventAt(fleet: string, reason: string): Promise<number> {
    const filter = ['--field-selector', `reason=${reason},involvedObject.kind=Pod`, '-o', 'json'];
    const { items } = JSON.parse(await scene.installation.kubectl('get', 'events', ...filter)) as {
      items: { involvedObject: { name: string }; firstTimestamp: string | null; eventTime: string | null }[];
    };
    const times = items
      .filter(({ involvedObject: { name } }) => name.startsWith(`${fleet}-`))
      .map(({ firstTimestamp, eventTime }) => Date.parse(firstTimestamp ?? eventTime ?? ''));
    expect(times).not.toEqual([]);
    return Math.min(...times);
  }

  test.each(Object.entries(expectedConditions))(
    'reports the problem of %s as a condition with a message, an Event and a metric',
    (fleet, { reason, message: messagePattern, event }) =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        const { message, since } = await waitForCondition(fleet, reason);
        expect(message).toMatch(messagePattern);
        if (event) {
          const delaySeconds = (Date.parse(since) - (await firstEventAt(fleet, event))) / 1000;
          console.info(`${reason}: named ${delaySeconds.toFixed(1)} s after the event of the cluster`);
          // (Events have a resolution of one second.)
          expect(delaySeconds).toBeLessThanOrEqual(10);
        }
        const line = `pilothouse_fleet_condition{fleet="${fleet}",reason="${reason}"} 1`;
        await until(
          `the controller shows ${line}`,
          async () => (await installation.scrape()).includes(line),
          MINUTES,
          1000,
        );
        const filter = ['--field-selector', `reason=${reason}`, '-o', 'jsonpath={.items[*].message}'];
        expect(await installation.kubectl('get', 'events', ...filter)).toContain(`Fleet ${fleet}: `);
        // Records of ended pods stay briefly, so that their logs can be read.
        const alive = ['--field-selector', 'status.phase!=Failed,status.phase!=Succeeded'];
        const pods = await installation.kubectl(
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
    'scales another fleet from zero for twelve runs, and to zero again',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        const { client } = installation;
        const order = { fleet: 'browser' };
        expect(await installation.workers('browser')).toEqual([]);
        const submitted = await Promise.all(
          Array.from({ length: 12 }, () => client.submit(orderRun(installation.site, [], order))),
        );
        const ids = submitted.map(({ id }) => id);
        await Promise.all(ids.map((id) => client.waitForEnd(id, 4 * MINUTES)));
        // A worker is idle now and still warm.
        const { id: warmRun } = await client.submit(orderRun(installation.site, [], order));
        await client.waitForEnd(warmRun, MINUTES);
        const hasNoWorkers = async () => (await installation.workers('browser')).length === 0;
        await until('no worker pod is left', hasNoWorkers, 2 * MINUTES, 500);

        const endedRuns = await readEndedRuns(installation, [...ids, warmRun]);
        expect(violationsOf(endedRuns)).toEqual([]);
        expect(await unknownOrders(installation, [...ids, warmRun])).toEqual([]);
        expect(endedRuns.map(({ run }) => run.epoch)).toEqual(Array.from({ length: 13 }, () => 1));
        const { waiting, running, workers, conditions } = await installation.fleet();
        expect({ waiting, running, workers, conditions }).toEqual({
          waiting: 0,
          running: 0,
          workers: [],
          conditions: [],
        });

        const usedWorkers = new Set(endedRuns.map(({ run }) => run.worker));
        expect(usedWorkers.size).toBeGreaterThan(1);
        const pods = watch.all.filter(({ labels }) => labels['pilothouse.dev/fleet'] === 'browser');
        expect(pods.map(({ name }) => name)).toEqual(expect.arrayContaining([...usedWorkers]));
        expect(pods.length).toBeLessThanOrEqual(MAX);
        for (const pod of pods) expect(pod).toMatchObject({ wasDeletedAlive: false, exitCode: 0, isGone: true });
        // The other problems are unchanged.
        for (const [fleet, { reason }] of Object.entries(expectedConditions))
          expect([fleet, (await installation.fleet(fleet)).conditions.map((condition) => condition.reason)]).toEqual([
            fleet,
            [reason],
          ]);

        const warm = endedRuns.at(-1);
        const cold = endedRuns
          .slice(0, -1)
          .map(untilFirstAction)
          .sort((a, b) => a - b);
        const seconds = (ms = NaN) => `${(ms / 1000).toFixed(2)} s`;
        console.info(
          `submit → first action: cold ${seconds(cold[0])} (the first of 12 runs; the last, which waited for a slot: ${seconds(cold.at(-1))}), warm ${warm ? seconds(untilFirstAction(warm)) : '-'}; ${usedWorkers.size} workers`,
        );
      }),
    7 * MINUTES,
  );

  test(
    'reports a page that exhausts memory; the worker survives if the kernel can kill the page alone',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        const { client } = installation;
        const url = await serveMemoryExhaustingPage(installation);
        const visit = (path: string, ...steps: object[]) =>
          client.submit({
            fleet: 'greedy',
            definition: {
              name: 'greedy',
              timeout: 120,
              steps: [{ action: 'navigate', url: `${url}${path}` }, ...steps],
            },
          });
        const { id: firstId } = await visit('state');
        expect((await client.waitForEnd(firstId, 2 * MINUTES)).status).toBe('completed');
        const { worker } = await client.run(firstId);
        // With cgroup v2 Kubernetes kills all processes of a container together, unless the kubelet sets
        // `singleProcessOOMKill`.
        const group = ['sh', '-c', 'cat /sys/fs/cgroup/memory.oom.group 2>/dev/null || echo 0'];
        const isGroupKilled = (await installation.kubectl('exec', worker ?? '', '--', ...group)) === '1';

        const never = { condition: { visible: { role: 'heading', name: 'Never' } }, timeout: 60 };
        const { id } = await visit('', { action: 'waitFor', ...never });
        const { message } = await waitForCondition('greedy', 'OutOfMemory');
        const run = await client.waitForEnd(id, 3 * MINUTES);
        expect(run).toMatchObject({ status: 'failed', error: { code: 'POISON_RUN' } });
        console.info(
          `greedy: "${message}"; the run ended with ${run.error?.code} (${run.error?.message}) in attempt ${run.epoch}; processes of a container go ${isGroupKilled ? 'together' : 'alone'}`,
        );
        if (isGroupKilled) expect(message).toContain('its container exceeded the memory limit');
        else {
          expect(message).toContain(`worker ${worker} ran out of memory (killed in its cgroup; the worker continues)`);
          const { id: secondId } = await visit('state');
          expect(await client.waitForEnd(secondId, 2 * MINUTES)).toMatchObject({ status: 'completed', worker });
          expect(watch.of(worker)).toMatchObject({ exitCode: null, isGone: false });
        }
        expect((await installation.fleet('browser')).conditions).toEqual([]);
      }),
    6 * MINUTES,
  );

  test(
    'executes waiting runs once a fleet is fixed, and removes the pods of removed fleets',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { client, site } = scene.installation;
        const { id } = await client.submit(orderRun(site, [], { fleet: 'nowhere' }));
        expect((await client.run(id)).status).toBe('queued');
        await scene.installation.helm('upgrade', { fleets: { browser: null, nowhere: singleWorker } });
        await client.waitForEnd(id, 3 * MINUTES);
        expect(violationsOf(await readEndedRuns(scene.installation, [id]))).toEqual([]);
        // Fleets that the values no longer contain are removed, including those that never started.
        const remainingWorkers = async () =>
          (await scene.installation.workers()).filter((name) => !name.startsWith('nowhere-'));
        await until(
          'no worker of a removed fleet is left',
          async () => (await remainingWorkers()).length === 0,
          2 * MINUTES,
          500,
        );
      }),
    6 * MINUTES,
  );
});
