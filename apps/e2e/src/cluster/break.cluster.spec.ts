/*
 * Proves that a run which was accepted ends once, whatever dies on the cluster while it is at work: under steady load, one after the other,
 * a worker pod is deleted without any grace, the controller, an API replica, Redis and PostgreSQL are deleted, a node is drained,
 * and, where the cluster can do it, a node loses its power. In the end every run is completed, with events that count without a gap and exactly
 * one order at the site.
 *
 * PILOTHOUSE_STOP_NODE and PILOTHOUSE_START_NODE: commands that cut the power of a node and bring it back; not of the first node by name, where
 * the stores (their volumes may belong to a node) and the demo site are.
 */
import { kubectl } from '../chart/tools.fixture.ts';
import { until } from '../harness/until.ts';
import { ClusterHouse } from './house.ts';
import { attemptsOf, readEnded, strangers, wrongWith } from './invariants.ts';
import { Load } from './load.ts';
import { nodesReady, powerOf, readyNodes } from './nodes.fixture.ts';
import { PodWatch } from './pods.ts';

const MINUTES = 60_000;
const power = powerOf();

describe('a house under load', () => {
  let house: ClusterHouse;
  let watch: PodWatch;
  let load: Load;
  /** The first keeps what must not move; another one is broken. */
  let nodes: string[];

  beforeAll(async () => {
    nodes = await readyNodes();
    const place = { 'kubernetes.io/hostname': nodes[0] };
    const spread = [{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }];
    house = await ClusterHouse.install({
      'api.replicas': 2,
      'database.bundled.nodeSelector': place,
      'redis.bundled.nodeSelector': place,
      'objects.bundled.nodeSelector': place,
      fleets: { browser: { slots: 2, min: 2, max: 3, idle: 0, cooldownSeconds: 20, topologySpread: spread } },
    });
    await house.keepDemoOn(nodes[0] ?? '');
    watch = new PodWatch(house.name);
    load = new Load(house, 4);
    await house.told(() => load.goesOn('the installation'));
  }, 6 * MINUTES);

  afterAll(async () => {
    await watch?.close();
    await house?.end();
  }, 2 * MINUTES);

  /** The pods of a worker that has a run now, as the house says it. */
  const holder = () =>
    until('a worker has a run', async () => (await load.running()).find(({ worker }) => worker !== null), MINUTES, 100);

  test(
    'goes on after a worker pod was deleted without grace: its runs are taken over',
    () =>
      house.told(async () => {
        const { id, worker } = await holder();
        await house.ask('delete', 'pod', worker ?? '', '--grace-period=0', '--force');
        await load.goesOn('the death of a worker');
        const run = await house.client.ended(id, 2 * MINUTES);
        expect(run.status).toBe('completed');
        // It may have ended in the moment before.
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
      house.told(async () => {
        const [pod = ''] = await house.pods(component);
        await house.ask('delete', 'pod', pod, '--timeout=90s');
        await house.rolledOut(`${kind}/${house.name}-${component}`);
        await load.goesOn(`${what} was deleted`);
      }),
    5 * MINUTES,
  );

  test(
    'goes on while a node is drained: its workers hand back what they have, and end by themselves',
    () =>
      house.told(async () => {
        const [, node] = nodes;
        if (node === undefined) {
          console.info('left out: the cluster has one node');
          return;
        }
        const onNode = async () =>
          (
            await house.ask(
              'get',
              'pods',
              '-l',
              'app.kubernetes.io/component=worker',
              '--field-selector',
              `spec.nodeName=${node},status.phase=Running`,
              '-o',
              'name',
            )
          )
            .split('\n')
            .filter(Boolean)
            .map((name) => name.replace('pod/', ''));
        const there = await onNode();
        expect(there).not.toEqual([]);
        // Longer than a worker has to go: it has to be handed back.
        const long = await until(
          `a worker on ${node} has a long run`,
          async () => {
            const { id } = await load.add(Array.from({ length: 5 }, () => 9_000));
            const begun = await until(
              `${id} is at work`,
              async () => (await house.client.run(id)).worker,
              MINUTES,
              100,
            );
            return there.includes(begun) && id;
          },
          2 * MINUTES,
          100,
        );
        try {
          const mine = ['--pod-selector', `app.kubernetes.io/instance=${house.name}`];
          const args = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=120s', ...mine];
          const { ok, text } = await kubectl(args, { ms: 130_000 });
          expect({ ok, text }).toMatchObject({ ok: true });
          expect(await onNode()).toEqual([]);
          await load.goesOn('the drain of a node');
        } finally {
          await kubectl(['uncordon', node]);
        }
        const events = await house.client.ended(long, 3 * MINUTES).then(() => house.client.events(long));
        expect(events.filter(({ type }) => type === 'run.requeued').map(({ data }) => data['error'])).toEqual([
          expect.objectContaining({ code: 'HANDED_BACK' }),
        ]);
        for (const worker of there)
          expect(watch.all.find(({ name }) => name === worker)).toMatchObject({ exitCode: 0, gone: true });
        for (const part of ['api', 'fleet']) await house.rolledOut(`deployment/${house.name}-${part}`);
      }),
    5 * MINUTES,
  );

  (power ? test : test.skip)(
    'goes on after a node lost its power: its runs are taken over, its pods are collected',
    () =>
      house.told(async () => {
        const lost = nodes.length - 1;
        await holder();
        try {
          await power?.stop();
          await nodesReady(lost, MINUTES);
          await load.goesOn('a node lost its power');
          const onNode = async () => {
            const there = await readyNodes();
            const all = await house.ask(
              'get',
              'pods',
              '-l',
              'app.kubernetes.io/component=worker',
              '-o',
              'jsonpath={.items[*].spec.nodeName}',
            );
            return all.split(' ').every((name) => name === '' || there.includes(name));
          };
          await until('no worker pod is on the node that is gone', onNode, 2 * MINUTES, 500);
        } finally {
          await power?.start();
          await nodesReady(nodes.length, 2 * MINUTES);
        }
        for (const part of ['api', 'fleet']) await house.rolledOut(`deployment/${house.name}-${part}`);
      }),
    8 * MINUTES,
  );

  test(
    'has ended every run once in the end, each with one order',
    () =>
      house.told(async () => {
        await load.stop();
        const all = await readEnded(house, load.ids);
        expect(wrongWith(all)).toEqual([]);
        expect(await strangers(house, load.ids)).toEqual([]);
        const again = all.filter((one) => attemptsOf(one) > 1);
        expect(again.length).toBeGreaterThan(0);
        const { waiting, running } = await house.fleet();
        expect({ waiting, running }).toEqual({ waiting: 0, running: 0 });
        await until(
          'only as many workers are left as are to stay',
          async () => (await house.workers()).length === 2,
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
