/*
 * Tests that an accepted run ends once, whatever fails on the cluster. Under steady load, in sequence: a worker pod is
 * deleted without grace period; the controller, an API replica, Redis and PostgreSQL are deleted; the Kubernetes API
 * is unavailable for a minute; a node is drained. Where the cluster supports it, a node loses power: one with workers,
 * and one that also has the controller. At the end every run is completed, with a gapless event sequence and exactly
 * one order at the site.
 * PILOTHOUSE_STOP_NODE and PILOTHOUSE_START_NODE are commands that cut the power of the last node by name and restore
 * it. The first node has the stores (their volumes may belong to a node) and the demo site.
 */
import type { RunView } from '@pilothouse/contract';
import { kubectl } from '../chart/chart-tools.fixture.ts';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { attemptsOf, readEnded, strangers, wrongWith } from './cluster-invariants.ts';
import { KubeWire } from './kube-connection.ts';
import { Load } from './order-load.ts';
import { nodesReady, powerOf, readyNodes } from './nodes.fixture.ts';
import { MINUTES, scene } from './cluster-scene.fixture.ts';

const power = powerOf();

/** A node without power. */
interface Dark {
  readonly node: string;
  /** A run of one of its workers. */
  readonly run: RunView;
  /** Number of its workers. */
  readonly workers: number;
  /** Number of workers created since. */
  made(): number;
  /** Time since the power failure or another event, as text. */
  after(from?: number): string;
}

describe('an installation under load', () => {
  /** The first has the components that must not move; the last one fails. */
  let nodes: string[];
  let load: Load;
  const at = scene(async () => {
    nodes = await readyNodes();
    const place = { 'kubernetes.io/hostname': nodes[0] };
    const spread = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }];
    const installation = await ClusterInstallation.install({
      'api.replicas': 2,
      'database.bundled.nodeSelector': place,
      'redis.bundled.nodeSelector': place,
      'objectStore.bundled.nodeSelector': place,
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
    load = new Load(installation, 4);
    await installation.told(() => load.goesOn('the installation'));
    return installation;
  });

  /** Names of the worker pods on a node. */
  const workersOn = (node: string) => at.installation.pods('worker', node);

  /** Leadership and decisions of the controller, from its metrics. */
  const leads = async () => /^pilothouse_fleet_is_leader 1$/m.test(await at.installation.scrape());
  const decisions = async () =>
    (await at.installation.scrape()).split('\n').filter((line) => line.startsWith('pilothouse_fleet_decisions_total'));

  /** Pods of the workers that have a run, according to the API. */
  const holder = () =>
    until('a worker has a run', async () => (await load.running()).find(({ worker }) => worker !== null), MINUTES, 100);

  test(
    'goes on after a worker pod was deleted without grace: its runs are taken over',
    () =>
      at.installation.told(async () => {
        const { installation } = at;
        const { id, worker } = await holder();
        await installation.ask('delete', 'pod', worker ?? '', '--grace-period=0', '--force');
        await load.goesOn('the death of a worker');
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
    'goes on after %s was deleted',
    (what, component, kind) =>
      at.installation.told(async () => {
        const { installation } = at;
        const [pod = ''] = await installation.pods(component);
        await installation.ask('delete', 'pod', pod, '--timeout=90s');
        await installation.rolledOut(`${kind}/${installation.name}-${component}`);
        await load.goesOn(`${what} was deleted`);
      }),
    5 * MINUTES,
  );

  test(
    'goes on while a node is drained: its workers hand back what they have, and end by themselves',
    () =>
      at.installation.told(async () => {
        const { installation, watch } = at;
        const [, node] = nodes;
        if (node === undefined) {
          console.info('left out: the cluster has one node');
          return;
        }
        const there = await workersOn(node);
        expect(there).not.toEqual([]);
        // Longer than the grace period of a worker: the run has to be returned.
        const long = await until(
          `a worker on ${node} has a long run`,
          async () => {
            const { id } = await load.add(Array.from({ length: 5 }, () => 9_000));
            const begun = await until(
              `${id} is at work`,
              async () => (await installation.client.run(id)).worker,
              MINUTES,
              100,
            );
            return there.includes(begun) && id;
          },
          2 * MINUTES,
          100,
        );
        try {
          const mine = ['--pod-selector', `app.kubernetes.io/instance=${installation.name}`];
          const args = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s', ...mine];
          const { ok, text } = await kubectl(args, { ms: 130_000 });
          expect({ ok, text }).toMatchObject({ ok: true });
          await until(`no worker pod is on ${node}`, async () => (await workersOn(node)).length === 0, MINUTES, 500);
          await load.goesOn('the drain of a node');
        } finally {
          await kubectl(['uncordon', node]);
        }
        const events = await installation.client
          .waitForEnd(long, 3 * MINUTES)
          .then(() => installation.client.events(long));
        expect(events.filter(({ type }) => type === 'run.requeued').map(({ data }) => data['error'])).toEqual([
          expect.objectContaining({ code: 'RUN_HANDED_BACK' }),
        ]);
        for (const worker of there)
          expect(watch.all.find(({ name }) => name === worker)).toMatchObject({ exitCode: 0, gone: true });
        for (const part of ['api', 'fleet']) await installation.rolledOut(`deployment/${installation.name}-${part}`);
      }),
    5 * MINUTES,
  );

  test(
    'goes on while the Kubernetes API is away for a minute: nothing is decided on stale facts, and then it catches up',
    () =>
      at.installation.told(async () => {
        const { installation } = at;
        const wire = await KubeWire.lay(installation);
        const enough = async () =>
          (await installation.fleet()).workers.filter(({ state }) => state === 'ready').length >= 2;
        await until(
          'two workers are ready, and the controller leads',
          async () => (await leads()) && (await enough()),
          MINUTES,
        );
        const { id, worker } = await holder();

        await wire.hold();
        const away = performance.now();
        const isOver = () => performance.now() - away > MINUTES;
        // State is stale after ten seconds; earlier decisions are counted by then.
        await until('the controller knows that it does not know', async () => !(await leads()), 45_000, 500);
        const decided = await decisions();
        // A worker is missing: a controller that acted on stale or missing state would react.
        await installation.ask('delete', 'pod', worker ?? '', '--grace-period=0', '--force');
        let ended = 0;
        while (!isOver()) {
          await load.goesOn('the Kubernetes API went away');
          ended += 1;
        }
        expect(await decisions()).toEqual(decided);
        await wire.mend();
        const restored = performance.now();
        await until(
          'the controller leads again, and there are two workers',
          async () => (await leads()) && (await enough()),
          MINUTES,
          200,
        );
        const seconds = ((performance.now() - restored) / 1000).toFixed(1);
        await load.goesOn('the Kubernetes API came back');
        expect((await installation.client.waitForEnd(id, 2 * MINUTES)).status).toBe('completed');
        const restarts = '{.items[*].status.containerStatuses[?(@.name=="fleet")].restartCount}';
        const controller = ['get', 'pods', '-l', 'app.kubernetes.io/component=fleet', '-o', `jsonpath=${restarts}`];
        expect(await installation.ask(...controller)).toBe('0');
        console.info(
          `the Kubernetes API away for a minute: ${ended} times a new run ended meanwhile, two workers again after ${seconds} s`,
        );
      }),
    6 * MINUTES,
  );

  /**
   * Cuts the power of a node while one of its workers has a run, and restores it.
   * @param on true: the controller is on the node too
   */
  async function withoutPower(on: boolean, work: (dark: Dark) => Promise<void>): Promise<void> {
    const { installation, watch } = at;
    const [first = '', node = ''] = [nodes[0], nodes.at(-1)];
    await installation.pinTo(node, nodes, ['worker', 'api', ...(on ? ['fleet'] : [])]);
    if (!on) await installation.pinTo(first, nodes, ['fleet']);
    const { there, run } = await until(
      `a worker on ${node} has a run`,
      async () => {
        const names = await workersOn(node);
        const found = (await load.running()).find((one) => names.includes(one.worker ?? ''));
        return found && { there: names, run: found };
      },
      2 * MINUTES,
      200,
    );
    const known = new Set(watch.all.map(({ name }) => name));
    const cut = performance.now();
    const after = (from = cut) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
    const made = () => watch.all.filter(({ name }) => !known.has(name)).length;
    try {
      await power?.stop();
      await nodesReady(nodes.length - 1, MINUTES);
      await work({ node, run, workers: there.length, made, after });
    } finally {
      await power?.start();
      await nodesReady(nodes.length, 2 * MINUTES);
    }
    for (const part of ['api', 'fleet']) await installation.rolledOut(`deployment/${installation.name}-${part}`);
  }

  /**
   * Waits until the run of a lost worker has ended elsewhere, the pods of its node are gone, and the previous number
   * of workers is ready.
   */
  async function compensated({ node, run: { id, worker }, workers, made }: Dark): Promise<void> {
    const { installation } = at;
    const run = await installation.client.waitForEnd(id, 2 * MINUTES);
    expect(run).toMatchObject({ status: 'completed' });
    expect(run.worker === worker || run.epoch > 1).toBe(true);
    await load.goesOn('a node lost its power');
    await until(`no worker pod is on ${node}`, async () => (await workersOn(node)).length === 0, 2 * MINUTES, 500);
    const ready = async () => (await installation.fleet()).workers.filter(({ state }) => state === 'ready').length >= 2;
    await until('two workers are ready', ready, MINUTES, 500);
    // One for each lost worker, and one more if the load requires it.
    expect(made()).toBeLessThanOrEqual(workers + 1);
  }

  // (A skipped test counts as failed.)
  if (power) {
    test(
      'goes on after a node lost its power: its runs are taken over, its pods are collected, none is replaced twice',
      () =>
        at.installation.told(() =>
          withoutPower(false, async (dark) => {
            const { after } = dark;
            const reported = after();
            const told = performance.now();
            await until(
              'the fleet has the condition NodeLost',
              async () => (await at.installation.fleet()).conditions.some(({ reason }) => reason === 'NodeLost'),
              10_000,
              200,
            );
            const named = after(told);
            await compensated(dark);
            console.info(
              `a node lost its power with ${dark.workers} workers: Kubernetes says so after ${reported}, NodeLost ${named} later; made up for after ${after()} with ${dark.made()} new workers`,
            );
          }),
        ),
      8 * MINUTES,
    );

    test(
      'goes on after the node of the controller lost its power: another takes the lead, and makes up for the workers, too',
      () =>
        at.installation.told(async () => {
          const { installation } = at;
          const holder = () =>
            installation.ask('get', `lease/${installation.name}-fleet`, '-o', 'jsonpath={.spec.holderIdentity}');
          await withoutPower(true, async (dark) => {
            const { after } = dark;
            const reported = after();
            const before = await holder();
            await until('another controller leads', async () => !['', before].includes(await holder()), 2 * MINUTES);
            const led = after();
            await compensated(dark);
            console.info(
              `a node lost its power with the controller and ${dark.workers} workers: Kubernetes says so after ${reported}, another leads after ${led}; made up for after ${after()} with ${dark.made()} new workers`,
            );
          });
        }),
      8 * MINUTES,
    );
  } else console.info('left out: a node without power (set PILOTHOUSE_STOP_NODE and PILOTHOUSE_START_NODE)');

  test(
    'has ended every run once in the end, each with one order',
    () =>
      at.installation.told(async () => {
        const { installation } = at;
        await load.stop();
        const all = await readEnded(installation, load.ids);
        expect(wrongWith(all)).toEqual([]);
        expect(await strangers(installation, load.ids)).toEqual([]);
        const again = all.filter((one) => attemptsOf(one) > 1);
        expect(again.length).toBeGreaterThan(0);
        const { waiting, running } = await installation.fleet();
        expect({ waiting, running }).toEqual({ waiting: 0, running: 0 });
        await until(
          'only as many workers are left as are to stay',
          async () => (await installation.workers()).length === 2,
          2 * MINUTES,
          500,
        );
        console.info(
          `${all.length} runs, ${again.length} of them in more than one attempt, ${load.answers} questions answered`,
        );
      }),
    5 * MINUTES,
  );
});
