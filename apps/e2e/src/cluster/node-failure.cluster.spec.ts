/*
 * Tests that an accepted run ends once, whatever fails on the cluster. Faults under steady load, in sequence: a worker
 * pod is deleted without grace period; the controller, an API replica, Redis and PostgreSQL are deleted; the Kubernetes
 * API is unavailable for a minute; a node is drained.
 * Where the cluster supports it, a node loses power: one with workers, and one that also has the controller. At the end
 * every run is completed, with a gapless event sequence and exactly one order at the site.
 * PILOTHOUSE_STOP_NODE and PILOTHOUSE_START_NODE are commands that cut and restore the power of the last node by name.
 * The first node has the stores (their volumes may belong to a node) and the demo site.
 */
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { kubectl } from '../chart/chart-tools.fixture.ts';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { attemptsOf, readEndedRuns, unknownOrders, violationsOf } from './cluster-invariants.ts';
import { KubeApiProxy } from './kube-connection.ts';
import { OrderLoad } from './order-load.ts';
import { nodesReady, powerOf, readyNodes } from './nodes.fixture.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

const power = powerOf();

/** A node without power. */
interface PowerOutage {
  readonly node: string;
  /** A run of one of its workers. */
  readonly run: RunView;
  /** Number of its workers. */
  readonly workers: number;
  /** Number of workers created since. */
  countNewWorkers(): number;
  /** Time since the power failure or another event, as text. */
  after(start?: number): string;
}

describe('an installation under load', () => {
  /** The first has the components that must not move; the last one fails. */
  let nodes: string[];
  let load: OrderLoad;
  const scene = useClusterInstallation(async () => {
    nodes = await readyNodes();
    const nodeSelector = { 'kubernetes.io/hostname': nodes[0] };
    const spread = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }];
    const installation = await ClusterInstallation.install({
      'api.replicas': 2,
      'database.bundled.nodeSelector': nodeSelector,
      'redis.bundled.nodeSelector': nodeSelector,
      'objectStore.bundled.nodeSelector': nodeSelector,
      fleets: {
        browser: {
          slotsPerWorker: 2,
          minWorkers: 2,
          maxWorkers: 3,
          idleSlots: 0,
          cooldownSeconds: 20,
          topologySpread: spread,
        },
      },
    });
    await installation.pinDemoSite(nodes[0] ?? '');
    load = new OrderLoad(installation, 4);
    await installation.withDiagnostics(() => load.waitForProgress('the installation'));
    return installation;
  });

  /** Names of the worker pods on a node. */
  const workersOn = (node: string) => scene.installation.pods('worker', node);

  /** Leadership and decisions of the controller, from its metrics. */
  const isLeading = async () => /^pilothouse_fleet_is_leader 1$/m.test(await scene.installation.scrape());
  const decisions = async () =>
    (await scene.installation.scrape())
      .split('\n')
      .filter((line) => line.startsWith('pilothouse_fleet_decisions_total'));

  /** Pods of the workers that have a run, according to the API. */
  const runWithWorker = () =>
    until('a worker has a run', async () => (await load.running()).find(({ worker }) => worker !== null), MINUTES, 100);

  test(
    'recovers the runs of a worker pod that is deleted without grace period',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        const { id, worker } = await runWithWorker();
        await installation.kubectl('delete', 'pod', worker ?? '', '--grace-period=0', '--force');
        await load.waitForProgress('the death of a worker');
        const run = await installation.client.waitForEnd(id, 2 * MINUTES);
        expect(run.status).toBe('completed');
        // It may have ended just before.
        if (run.worker !== worker) expect(run.epoch).toBeGreaterThan(1);
      }),
    4 * MINUTES,
  );

  test.each([
    ['controller', 'fleet', 'deployment'],
    ['an API replica', 'api', 'deployment'],
    ['Redis', 'redis', 'statefulset'],
    ['PostgreSQL', 'postgresql', 'statefulset'],
  ])(
    'continues after the deletion of %s',
    (description, component, kind) =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        const [pod = ''] = await installation.pods(component);
        await installation.kubectl('delete', 'pod', pod, '--timeout=90s');
        await installation.waitForRollout(`${kind}/${installation.name}-${component}`);
        await load.waitForProgress(`${description} was deleted`);
      }),
    5 * MINUTES,
  );

  test(
    'continues while a node is drained: its workers return their runs and exit',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        const [, node] = nodes;
        if (node === undefined) {
          console.info('skipped: the cluster has one node');
          return;
        }
        const workersOnNode = await workersOn(node);
        expect(workersOnNode).not.toEqual([]);
        // Longer than the grace period of a worker: the run has to be returned.
        const longRun = await until(
          `a worker on ${node} has a long run`,
          async () => {
            const { id } = await load.add(Array.from({ length: 5 }, () => 9_000));
            const worker = await until(
              `${id} is at work`,
              async () => (await installation.client.run(id)).worker,
              MINUTES,
              100,
            );
            return workersOnNode.includes(worker) && id;
          },
          2 * MINUTES,
          100,
        );
        try {
          const podSelector = ['--pod-selector', `app.kubernetes.io/instance=${installation.name}`];
          const args = [
            'drain',
            node,
            '--ignore-daemonsets',
            '--delete-emptydir-data',
            '--timeout=120s',
            ...podSelector,
          ];
          const { ok, text } = await kubectl(args, { ms: 130_000 });
          expect({ ok, text }).toMatchObject({ ok: true });
          await until(`no worker pod is on ${node}`, async () => (await workersOn(node)).length === 0, MINUTES, 500);
          await load.waitForProgress('the drain of a node');
        } finally {
          await kubectl(['uncordon', node]);
        }
        const events = await installation.client
          .waitForEnd(longRun, 3 * MINUTES)
          .then(() => installation.client.events(longRun));
        expect(events.filter(({ type }) => type === 'run.requeued').map(({ data }) => data['error'])).toEqual([
          expect.objectContaining({ code: 'RUN_HANDED_BACK' }),
        ]);
        for (const worker of workersOnNode)
          expect(watch.all.find(({ name }) => name === worker)).toMatchObject({ exitCode: 0, isGone: true });
        for (const part of ['api', 'fleet'])
          await installation.waitForRollout(`deployment/${installation.name}-${part}`);
      }),
    5 * MINUTES,
  );

  test(
    'makes no decision while the Kubernetes API is unavailable for a minute, and then catches up',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        const apiProxy = await KubeApiProxy.install(installation);
        const hasEnoughWorkers = async () =>
          (await installation.fleet()).workers.filter(({ state }) => state === 'ready').length >= 2;
        await until(
          'two workers are ready, and the controller leads',
          async () => (await isLeading()) && (await hasEnoughWorkers()),
          MINUTES,
        );
        const { id, worker } = await runWithWorker();

        await apiProxy.block();
        const blockedAt = performance.now();
        const isMinuteOver = () => performance.now() - blockedAt > MINUTES;
        // State is stale after ten seconds; earlier decisions are counted by then.
        await until('the controller knows that it does not know', async () => !(await isLeading()), 45_000, 500);
        const decisionsBefore = await decisions();
        // A worker is missing: a controller that acted on stale or missing state would react.
        await installation.kubectl('delete', 'pod', worker ?? '', '--grace-period=0', '--force');
        let endedRuns = 0;
        while (!isMinuteOver()) {
          await load.waitForProgress('the Kubernetes API went away');
          endedRuns += 1;
        }
        expect(await decisions()).toEqual(decisionsBefore);
        await apiProxy.unblock();
        const restored = performance.now();
        await until(
          'the controller leads again, and there are two workers',
          async () => (await isLeading()) && (await hasEnoughWorkers()),
          MINUTES,
          200,
        );
        const seconds = ((performance.now() - restored) / 1000).toFixed(1);
        await load.waitForProgress('the Kubernetes API came back');
        expect((await installation.client.waitForEnd(id, 2 * MINUTES)).status).toBe('completed');
        const restarts = '{.items[*].status.containerStatuses[?(@.name=="fleet")].restartCount}';
        const controller = ['get', 'pods', '-l', 'app.kubernetes.io/component=fleet', '-o', `jsonpath=${restarts}`];
        expect(await installation.kubectl(...controller)).toBe('0');
        console.info(
          `the Kubernetes API away for a minute: ${endedRuns} times a new run ended meanwhile, two workers again after ${seconds} s`,
        );
      }),
    6 * MINUTES,
  );

  /**
   * Cuts the power of a node while one of its workers has a run, and restores it.
   * @param withController true: the controller is on the node too
   */
  async function duringPowerOutage(
    withController: boolean,
    work: (outage: PowerOutage) => Promise<void>,
  ): Promise<void> {
    const { installation, watch } = scene;
    const [first = '', node = ''] = [nodes[0], nodes.at(-1)];
    await installation.pinTo(node, nodes, ['worker', 'api', ...(withController ? ['fleet'] : [])]);
    if (!withController) await installation.pinTo(first, nodes, ['fleet']);
    const { workerNames, run } = await until(
      `a worker on ${node} has a run`,
      async () => {
        const names = await workersOn(node);
        const affectedRun = (await load.running()).find((run) => names.includes(run.worker ?? ''));
        return affectedRun && { workerNames: names, run: affectedRun };
      },
      2 * MINUTES,
      200,
    );
    const knownPods = new Set(watch.all.map(({ name }) => name));
    const outageAt = performance.now();
    const elapsed = (start = outageAt) => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    const countNewWorkers = () => watch.all.filter(({ name }) => !knownPods.has(name)).length;
    try {
      await power?.stop();
      await nodesReady(nodes.length - 1, MINUTES);
      await work({ node, run, workers: workerNames.length, countNewWorkers, after: elapsed });
    } finally {
      await power?.start();
      await nodesReady(nodes.length, 2 * MINUTES);
    }
    for (const part of ['api', 'fleet']) await installation.waitForRollout(`deployment/${installation.name}-${part}`);
  }

  /**
   * Waits until the run of a lost worker has ended elsewhere and the pods of its node are gone. The previous number of
   * workers is ready again.
   */
  async function expectRecovery({ node, run: { id, worker }, workers, countNewWorkers }: PowerOutage): Promise<void> {
    const { installation } = scene;
    const run = await installation.client.waitForEnd(id, 2 * MINUTES);
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.worker === worker || run.epoch > 1).toBe(true);
    await load.waitForProgress('a node lost its power');
    await until(`no worker pod is on ${node}`, async () => (await workersOn(node)).length === 0, 2 * MINUTES, 500);
    const ready = async () => (await installation.fleet()).workers.filter(({ state }) => state === 'ready').length >= 2;
    await until('two workers are ready', ready, MINUTES, 500);
    // One for each lost worker, and one more if the load requires it.
    expect(countNewWorkers()).toBeLessThanOrEqual(workers + 1);
  }

  // (A skipped test counts as failed.)
  if (power) {
    test(
      'recovers from a power failure of a node: its runs continue, its pods are removed, none is replaced twice',
      () =>
        scene.installation.withDiagnostics(() =>
          duringPowerOutage(false, async (outage) => {
            const { after } = outage;
            const reportedAfter = after();
            const reportedAt = performance.now();
            await until(
              'the fleet has the condition NodeLost',
              async () => (await scene.installation.fleet()).conditions.some(({ reason }) => reason === 'NodeLost'),
              10_000,
              200,
            );
            const conditionDelay = after(reportedAt);
            await expectRecovery(outage);
            console.info(
              `a node lost its power with ${outage.workers} workers: Kubernetes says so after ${reportedAfter}, NodeLost ${conditionDelay} later; made up for after ${after()} with ${outage.countNewWorkers()} new workers`,
            );
          }),
        ),
      8 * MINUTES,
    );

    test(
      'recovers from a power failure of the node of the controller: another one leads and replaces the workers',
      () =>
        scene.installation.withDiagnostics(async () => {
          const { installation } = scene;
          const runWithWorker = () =>
            installation.kubectl('get', `lease/${installation.name}-fleet`, '-o', 'jsonpath={.spec.holderIdentity}');
          await duringPowerOutage(true, async (outage) => {
            const { after } = outage;
            const reportedAfter = after();
            const firstWorker = await runWithWorker();
            await until(
              'another controller leads',
              async () => !['', firstWorker].includes(await runWithWorker()),
              2 * MINUTES,
            );
            const ledAfter = after();
            await expectRecovery(outage);
            console.info(
              `a node lost its power with the controller and ${outage.workers} workers: Kubernetes says so after ${reportedAfter}, another leads after ${ledAfter}; made up for after ${after()} with ${outage.countNewWorkers()} new workers`,
            );
          });
        }),
      8 * MINUTES,
    );
  } else console.info('skipped: power failure of a node (set PILOTHOUSE_STOP_NODE and PILOTHOUSE_START_NODE)');

  test(
    'ended every run once, each with one order',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        await load.stop();
        const endedRuns = await readEndedRuns(installation, load.ids);
        expect(violationsOf(endedRuns)).toEqual([]);
        expect(await unknownOrders(installation, load.ids)).toEqual([]);
        const retried = endedRuns.filter((endedRun) => attemptsOf(endedRun) > 1);
        expect(retried.length).toBeGreaterThan(0);
        const { waiting, running } = await installation.fleet();
        expect({ waiting, running }).toEqual({ waiting: 0, running: 0 });
        await until(
          'only as many workers are left as are to stay',
          async () => (await installation.workers()).length === 2,
          2 * MINUTES,
          500,
        );
        console.info(
          `${endedRuns.length} runs, ${retried.length} of them in more than one attempt, ${load.answers} questions answered`,
        );
      }),
    5 * MINUTES,
  );
});
