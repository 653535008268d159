/*
 * Tests that an upgrade of a busy installation affects no run. An installation of the previous commit has its own chart
 * and images. It is upgraded to this commit, rolled back, and upgraded again with one worker and another pod template,
 * while earlier runs continue.
 * No run fails. Long runs stay on their worker, without recovery or return. Idle workers are replaced first; each busy
 * pod exits after its run. Finally `helm uninstall` removes everything during a run. Both charts must support the
 * values.
 */
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { attemptsOf, readEndedRuns, unknownOrders, violationsOf } from './cluster-invariants.ts';
import { OrderLoad } from './order-load.ts';
import { orderRun } from './order-workflow.ts';
import { PageGate, toPages } from './cluster-pages.ts';
import { toSite } from './cluster-demo-site.ts';
import { previousVersion, thisVersion, type Version } from './previous-version.fixture.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

const previous = previousVersion();
const values = ({ images }: Version, overrides: object = {}) => ({
  ...images,
  'api.replicas': 2,
  'demo.enabled': false,
  fleets: {
    browser: {
      slotsPerWorker: 1,
      minWorkers: 4,
      maxWorkers: 5,
      idleSlots: 0,
      cooldownSeconds: 2,
      egress: { internet: false, allow: [toSite, toPages], allowPrivate: ['private'] },
      ...overrides,
    },
  },
});
/** Delays of the pages that a long run reads after its release. */
const PAGES = [500, 500];
/** All kinds of objects that the chart and the controller create. */
const KINDS =
  'pods,persistentvolumeclaims,secrets,configmaps,leases,services,endpointslices,deployments,replicasets,statefulsets,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets';

describe('an installation of the previous commit', () => {
  let gate: PageGate;
  let load: OrderLoad;
  const scene = useClusterInstallation(async () => {
    const installation = await ClusterInstallation.install(values(previous), previous.chart, 'pilothouse/server:dev');
    gate = await PageGate.create(installation);
    load = new OrderLoad(installation, 1);
    return installation;
  });
  const longIds: string[] = [];

  /** Submits runs, long ones with a wait at the gate, until all have acted. @returns their ids and pods */
  async function startRuns(...long: boolean[]): Promise<{ ids: string[]; holders: (string | null)[] }> {
    const { client, site } = scene.installation;
    await gate.close();
    const submit = (isLong: boolean) => client.submit(orderRun(site, PAGES, {}, isLong ? gate.url : undefined));
    const ids = await Promise.all(long.map(async (isLong) => (await submit(isLong)).id));
    longIds.push(...ids);
    await Promise.all(ids.map((id) => client.waitForEvent(id, ({ type }) => type === 'step.completed', 2 * MINUTES)));
    return { ids, holders: await Promise.all(ids.map(async (id) => (await client.run(id)).worker)) };
  }

  const statuses = (ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await scene.installation.client.run(id)).status));

  /** Changes the version during long runs. Reports the time until the last idle worker is replaced. */
  async function expectContinuity(description: string, change: () => Promise<void>, tag: string): Promise<void> {
    const { installation, watch } = scene;
    await until(
      'four workers are ready and stable',
      async () => {
        const { workers } = await installation.fleet();
        return (
          workers.length >= 4 &&
          workers.length === watch.alive.length &&
          workers.every(({ state }) => state === 'ready')
        );
      },
      2 * MINUTES,
      200,
    );
    const { ids, holders } = await startRuns(true, true);
    const idleWorkers = watch.alive.filter(({ name }) => !holders.includes(name));
    expect(idleWorkers.length).toBeGreaterThanOrEqual(2);
    const oldWorker = watch.of(holders[0] ?? null);

    const startedAt = performance.now();
    await change();
    await until(
      'all workers without a long run are removed',
      () => idleWorkers.every(({ isGone }) => isGone),
      2.5 * MINUTES,
      200,
    );
    const replacedAt = performance.now();
    expect(await statuses(ids)).toEqual(['running', 'running']);
    // Some idle workers may be removed before their successors start.
    const newWorkers = watch.alive.filter(({ name }) => !holders.includes(name));
    expect(newWorkers.length).toBeGreaterThan(0);
    await until('a new worker runs', () => newWorkers.some(({ imageId }) => imageId !== ''), MINUTES, 200);
    for (const { image, imageId } of newWorkers) {
      expect(image).toMatch(new RegExp(`:${tag}$`));
      expect(imageId).not.toBe(oldWorker.imageId);
    }
    await installation.waitUntilReady();
    const readyAt = performance.now();
    await load.waitForProgress(description);

    expect(await statuses(ids)).toEqual(['running', 'running']);
    await gate.open();
    for (const id of ids) await installation.client.waitForEnd(id, 3 * MINUTES);
    const endedRuns = await readEndedRuns(installation, ids);
    expect(violationsOf(endedRuns)).toEqual([]);
    expect(endedRuns.map((endedRun) => [endedRun.run.epoch, attemptsOf(endedRun)])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(endedRuns.map(({ run }) => run.worker)).toEqual(holders);
    await until(
      'the workers of the long runs are removed',
      () => holders.every((name) => watch.of(name).isGone),
      MINUTES,
      200,
    );
    for (const name of [...holders, ...idleWorkers.map((life) => life.name)])
      expect(watch.of(name)).toMatchObject({ wasDeletedAlive: false, exitCode: 0, imageId: oldWorker.imageId });
    const seconds = (ms: number) => `${((ms - startedAt) / 1000).toFixed(0)} s`;
    console.info(
      `${description}: idle workers replaced after ${seconds(replacedAt)}, api and controller after ${seconds(readyAt)}`,
    );
  }

  test(
    'is upgraded to this commit',
    () =>
      scene.installation.withDiagnostics(() =>
        expectContinuity('the upgrade', () => scene.installation.helm('upgrade', values(thisVersion)), 'dev'),
      ),
    6 * MINUTES,
  );

  test(
    'is rolled back',
    () =>
      scene.installation.withDiagnostics(() =>
        expectContinuity('the rollback', () => scene.installation.rollback(1), 'previous'),
      ),
    6 * MINUTES,
  );

  test(
    'ended every run once',
    () =>
      scene.installation.withDiagnostics(async () => {
        await load.stop();
        const endedRuns = await readEndedRuns(scene.installation, load.ids);
        expect(violationsOf(endedRuns)).toEqual([]);
        expect(await unknownOrders(scene.installation, [...load.ids, ...longIds])).toEqual([]);
        const retriedCount = endedRuns.filter((endedRun) => attemptsOf(endedRun) > 1).length;
        console.info(
          `${endedRuns.length} short runs over both changes, ${retriedCount} of them in more than one attempt, ${load.answers} questions answered`,
        );
      }),
    4 * MINUTES,
  );

  test(
    'keeps every run on its worker with fewer workers and another template',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        // The second ends long before the others: its worker is idle, above the new `maxWorkers` and of the old template.
        const { ids, holders } = await startRuns(true, false, true);
        await installation.helm(
          'upgrade',
          values(thisVersion, { minWorkers: 0, maxWorkers: 1, labels: { generation: 'two' } }),
        );
        await installation.waitForRollout(`deployment/${installation.name}-fleet`);
        expect(await statuses(ids)).toEqual(['running', expect.any(String), 'running']);

        await installation.waitUntilReady();
        await gate.open();
        for (const id of ids) await installation.client.waitForEnd(id, 3 * MINUTES);
        await until('no worker pod is left', () => watch.alive.length === 0, 2 * MINUTES, 200);
        const next = (await installation.client.submit(orderRun(installation.site))).id;
        await installation.client.waitForEnd(next, 2 * MINUTES);
        await until('no worker pod is left', () => watch.alive.length === 0, 2 * MINUTES, 200);

        const endedRuns = await readEndedRuns(installation, [...ids, next]);
        expect(violationsOf(endedRuns)).toEqual([]);
        expect(endedRuns.map((endedRun) => [endedRun.run.epoch, attemptsOf(endedRun)])).toEqual(
          endedRuns.map(() => [1, 1]),
        );
        expect(endedRuns.map(({ run }) => run.worker).slice(0, 3)).toEqual(holders);
        const pods = endedRuns.map(({ run }) => watch.of(run.worker));
        for (const pod of pods) expect(pod).toMatchObject({ wasDeletedAlive: false, exitCode: 0, isGone: true });
        expect(pods.map(({ labels }) => labels['generation'])).toEqual([undefined, undefined, undefined, 'two']);
      }),
    7 * MINUTES,
  );

  test(
    'is uninstalled completely during a run',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation, watch } = scene;
        await startRuns(true);
        await installation.uninstall();
        await until(
          'no pod is left in the namespace',
          async () =>
            (await installation.kubectl('get', 'pods', '-l', 'app!=site,suite-part!=page', '-o', 'name')) === '',
          2 * MINUTES,
          500,
        );
        expect(watch.alive).toEqual([]);
        const releaseSelector = ['-l', `app.kubernetes.io/instance=${installation.name}`, '-o', 'name'];
        await until(
          'nothing of the release is left',
          async () => (await installation.kubectl('get', KINDS, ...releaseSelector)) === '',
          MINUTES,
          500,
        );
        // Only the default objects of a namespace remain.
        const remaining = (await installation.kubectl('get', KINDS, '-l', 'app!=site,suite-part!=page', '-o', 'name'))
          .split('\n')
          .filter(Boolean);
        expect(
          remaining.filter((name) => !/^(configmap\/kube-root-ca\.crt|serviceaccount\/default)$/.test(name)),
        ).toEqual([]);
      }),
    6 * MINUTES,
  );
});
