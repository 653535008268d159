/*
 * Tests that the Service of the API answers while Redis or the object store is away for longer than the readiness probe
 * tolerates, and that a rolling update leaves the replicas on different nodes. Requests come from the console pod and go
 * through the Service: a port-forward would reach pods that the Service has removed.
 */
import { kubectl } from '../chart/chart-tools.fixture.ts';
import { until } from '../harness/poll-until.ts';
import { ClusterInstallation } from './cluster-installation.ts';
import { readyNodes } from './nodes.fixture.ts';
import { MINUTES, useClusterInstallation } from './cluster-scene.fixture.ts';

/** Longer than the readiness probe waits: six failures, one every 5 s. */
const OUTAGE_MS = 45_000;

/** Sends one request after another. Prints the number of each status or error. */
const requestsScript = (url: string, key: string) => `
const end = Date.now() + ${OUTAGE_MS}, counts = {};
const send = () => fetch(${JSON.stringify(url)}, { headers: { authorization: 'Bearer ${key}' }, signal: AbortSignal.timeout(8000) });
(async () => {
  while (Date.now() < end) {
    const result = await send().then(async (response) => (await response.text(), response.status), String);
    counts[result] = (counts[result] ?? 0) + 1;
  }
  console.log(JSON.stringify(counts));
})()`;

describe('the Service of the API', () => {
  const scene = useClusterInstallation(() =>
    ClusterInstallation.install({ 'api.replicas': 2, fleets: { browser: { maxWorkers: 0 } } }),
  );

  const api = () => `http://${scene.installation.name}-api:7100`;

  /** Runs a script in the console pod. */
  async function inConsole(script: string): Promise<string> {
    const { installation } = scene;
    const pod = ['exec', `deployment/${installation.name}-console`, '-c', 'console'];
    const { ok, text, stdout } = await kubectl(['-n', installation.name, ...pod, '--', 'node', '-e', script], {
      ms: OUTAGE_MS + MINUTES,
    });
    if (!ok) throw new Error(text);
    return stdout.trim();
  }

  const readiness = async () =>
    JSON.parse(await inConsole(`fetch('${api()}/readyz').then(async (r) => console.log(await r.text()))`)) as {
      status: string;
      checks: Record<string, { ok: boolean }>;
    };

  test.each([
    ['Redis', 'redis', 'redis'],
    ['the object store', 'objects', 'objects'],
  ])(
    'answers REST requests while %s is away',
    (_, component, check) =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        const store = `statefulset/${installation.name}-${component}`;
        await installation.waitForRollout(store);
        await installation.waitForRollout(`deployment/${installation.name}-console`);
        const key = Buffer.from(
          await installation.kubectl(
            ...['get', 'secret', `${installation.name}-keys`, '-o', 'jsonpath={.data.admin-key}'],
          ),
          'base64',
        ).toString();
        await installation.kubectl('scale', store, '--replicas=0');
        try {
          await until('the store is gone', async () => (await installation.pods(component)).length === 0, MINUTES, 500);
          const counts = JSON.parse(await inConsole(requestsScript(`${api()}/v1/runs?limit=1`, key))) as object;
          expect(Object.keys(counts)).toEqual(['200']);
          const { status, checks } = await readiness();
          expect([status, checks['database']?.ok, checks[check]?.ok]).toEqual(['degraded', true, false]);
          const deployment = `deployment/${installation.name}-api`;
          expect(await installation.kubectl('get', deployment, '-o', 'jsonpath={.status.readyReplicas}')).toBe('2');
        } finally {
          await installation.kubectl('scale', store, '--replicas=1');
        }
        await installation.waitForRollout(store);
        await until('all stores answer again', async () => (await readiness()).status === 'ready', MINUTES, 1_000);
      }),
    6 * MINUTES,
  );

  test(
    'has its replicas on two nodes after a rolling update',
    () =>
      scene.installation.withDiagnostics(async () => {
        const { installation } = scene;
        if ((await readyNodes()).length < 2) {
          console.info('skipped: the cluster has one node');
          return;
        }
        const deployment = `deployment/${installation.name}-api`;
        await installation.kubectl('rollout', 'restart', deployment);
        await installation.waitForRollout(deployment);
        await until('two pods are left', async () => (await installation.pods('api')).length === 2, MINUTES, 500);
        const select = ['-l', 'app.kubernetes.io/component=api', '-o', 'jsonpath={.items[*].spec.nodeName}'];
        const nodes = (await installation.kubectl('get', 'pods', ...select)).split(' ');
        expect(new Set(nodes).size).toBe(2);
      }),
    4 * MINUTES,
  );
});
