import { until } from '../harness/poll-until.ts';
import { TestNamespace } from './chart-release.fixture.ts';
import { kubectl } from './chart-tools.fixture.ts';

/*
 * The chart on a real cluster (KUBECONFIG). The images of that cluster come by a values file, PILOTHOUSE_CHART_VALUES.
 */
const MINUTES = 60_000;
const secrets = ['installation-keys', 'installation-objects', 'installation-postgresql', 'installation-redis'];

interface DesktopPod {
  metadata: { name: string };
  spec: { containers: { image: string }[] };
}

/** Prints the names of the programs of a pod: the image has no ps. */
// A process that has ended has no command line, also if nothing has collected it yet.
const LIST_PROGRAMS = 'cat /proc/[0-9]*/cmdline 2>/dev/null || true';

describe('an installation with default values', () => {
  let testNamespace: TestNamespace;
  beforeAll(async () => {
    testNamespace = await TestNamespace.create();
    await testNamespace.install('install', '--set', 'fleets.browser.maxWorkers=1,fleets.desktop.cooldownSeconds=600');
  }, 6 * MINUTES);
  afterAll(() => testNamespace?.end(), 2 * MINUTES);

  test('has its API ready, and stores with volumes', async () => {
    const available = await testNamespace.kubectl(
      'get',
      'deployment',
      'installation-api',
      '-o',
      'jsonpath={.status.availableReplicas}',
    );
    expect(Number(available)).toBeGreaterThanOrEqual(1);
    const volumes = await testNamespace.kubectl(
      'get',
      'pvc',
      '-o',
      'jsonpath={range .items[*]}{.metadata.name}={.status.phase} {end}',
    );
    expect(volumes.split(' ').sort()).toEqual([
      'data-installation-objects-0=Bound',
      'data-installation-postgresql-0=Bound',
      'data-installation-redis-0=Bound',
    ]);
    const appending = await testNamespace.kubectl(
      'exec',
      'installation-redis-0',
      '--',
      'sh',
      '-c',
      'redis-cli config get appendonly; redis-cli config get maxmemory-policy',
    );
    expect(appending.split('\n')).toEqual(['appendonly', 'yes', 'maxmemory-policy', 'noeviction']);
  });

  test('serves its metrics on a separate port that the Service does not expose', async () => {
    const script = `Promise.all([7100, 9090].map((port) => fetch('http://127.0.0.1:' + port + '/metrics').then(async (r) => [r.status, /pilothouse_/.test(await r.text())]))).then((all) => console.log(JSON.stringify(all)))`;
    const statuses = await testNamespace.kubectl(
      'exec',
      'deployment/installation-api',
      '-c',
      'api',
      '--',
      'node',
      '-e',
      script,
    );
    expect(JSON.parse(statuses)).toEqual([
      [404, false],
      [200, true],
    ]);
    const ports = await testNamespace.kubectl(
      'get',
      'service',
      'installation-api',
      '-o',
      'jsonpath={.spec.ports[*].targetPort}',
    );
    expect(ports).toBe('http');
  });

  test(
    'gives the controller the rights it needs, in its namespace, and no others',
    async () => {
      const canI = async (subject: string, verb: string, resource: string, namespace = testNamespace.name) =>
        (await kubectl(['-n', namespace, 'auth', 'can-i', verb, resource, '--as', subject])).stdout.trim();
      const controller = `system:serviceaccount:${testNamespace.name}:installation-fleet`;
      const allPods = `system:serviceaccount:${testNamespace.name}:default`;
      for (const verb of ['get', 'list', 'watch', 'create', 'delete', 'patch'])
        expect([verb, await canI(controller, verb, 'pods')]).toEqual([verb, 'yes']);
      for (const verb of ['get', 'update', 'patch'])
        expect([verb, await canI(controller, verb, 'leases/installation-fleet')]).toEqual([verb, 'yes']);
      expect(await canI(controller, 'create', 'events')).toBe('yes');
      for (const [verb, resource] of [
        ['get', 'secrets'],
        ['create', 'pods:exec'],
        ['get', 'pods:log'],
        ['update', 'leases/other'],
        ['create', 'leases'],
        ['list', 'events'],
        ['get', 'configmaps'],
        ['update', 'roles'],
      ] as const)
        expect([verb, resource, await canI(controller, verb, resource)]).toEqual([verb, resource, 'no']);
      expect(await canI(controller, 'list', 'pods', 'default')).toBe('no');
      expect(await canI(allPods, 'list', 'pods')).toBe('no');
    },
    2 * MINUTES,
  );

  test(
    'keeps a worker from the stores, the Kubernetes API and other workers, and the stores from every other pod',
    async () => {
      const worker = {
        'app.kubernetes.io/name': 'pilothouse',
        'app.kubernetes.io/component': 'worker',
        'app.kubernetes.io/instance': 'installation',
        'pilothouse.dev/fleet': 'browser',
      };
      const [otherWorker, , unrelatedPod] = await Promise.all([
        testNamespace.probe('worker-a', worker),
        testNamespace.probe('worker-b', worker),
        testNamespace.probe('stranger', {}),
      ]);
      const kubernetes = await testNamespace.kubectl(
        'get',
        'service',
        '-n',
        'default',
        'kubernetes',
        '-o',
        'jsonpath={.spec.clusterIP}',
      );
      const stores = [
        ['installation-postgresql', 5432],
        ['installation-redis', 6379],
        ['installation-objects', 9000],
      ] as const;
      // The probe works: a worker reaches the API, and an unrelated pod reaches the Kubernetes API.
      expect(await testNamespace.reaches('worker-b', 'installation-api', 7100, true)).toBe(true);
      expect(await testNamespace.reaches('stranger', kubernetes, 443, true)).toBe(true);
      for (const [host, port] of [...stores, [kubernetes, 443], [otherWorker, 8080], [unrelatedPod, 8080]] as const)
        expect([host, await testNamespace.reaches('worker-b', host, port, false)]).toEqual([host, false]);
      for (const [host, port] of [...stores, [otherWorker, 8080]] as const)
        expect([host, await testNamespace.reaches('stranger', host, port, false)]).toEqual([host, false]);
      await testNamespace.kubectl('delete', 'pod', 'worker-a', 'worker-b', 'stranger', '--wait=false');
    },
    5 * MINUTES,
  );

  test(
    'executes a workflow: `helm test`',
    async () => {
      const output = await testNamespace
        .helm(5 * MINUTES, 'test', 'installation', '--logs', '--timeout', '150s')
        .catch(async (error: unknown) => {
          const log = await kubectl(['-n', testNamespace.name, 'logs', 'installation-test']);
          throw new Error(`${String(error)}\n${log.text}`);
        });
      expect(output).toContain('Succeeded');
      expect(output).toContain('all runs finished after');
      // Workers reach the page while the test runs only.
      expect(await testNamespace.names('networkpolicies')).not.toContainEqual(
        expect.stringMatching(/\/installation-test$/),
      );
    },
    6 * MINUTES,
  );

  test(
    'ran a task on a desktop in a pod that Pod Security restricts, started for it',
    async () => {
      const key = await testNamespace.secret('installation-keys', 'admin-key');
      const script = `fetch('http://127.0.0.1:7100/v1/runs?limit=10',{headers:{authorization:'Bearer ${key}'}})
      .then(async r=>console.log(JSON.stringify((await r.json()).items)))`;
      const output = await testNamespace.kubectl(
        ...['exec', 'deployment/installation-api', '-c', 'api', '--', 'node', '-e', script],
      );
      expect(JSON.parse(output)).toContainEqual(
        expect.objectContaining({ surface: 'desktop', status: 'completed', fleet: 'desktop' }),
      );
      const pods = await testNamespace.kubectl(...['get', 'pods', '-l', 'pilothouse.dev/fleet=desktop', '-o', 'json']);
      const [pod] = (JSON.parse(pods) as { items: DesktopPod[] }).items;
      expect(pod?.spec.containers[0]?.image).toMatch(/worker-desktop/);
      await until(
        'the editor of the run has ended, and a display is ready',
        async () => {
          const name = pod?.metadata.name ?? '';
          const programs = await testNamespace.kubectl('exec', name, '-c', 'slot-0', '--', 'sh', '-c', LIST_PROGRAMS);
          return programs.includes('Xvfb') && !programs.includes('mousepad');
        },
        60_000,
        1_000,
      );
    },
    2 * MINUTES,
  );

  test(
    'keeps its Secrets in an upgrade, creates one for a new fleet, and does not print them',
    async () => {
      const readAll = () =>
        Promise.all(
          secrets.map(async (name) =>
            JSON.parse(await testNamespace.kubectl('get', 'secret', name, '-o', 'jsonpath={.data}')),
          ),
        );
      const installed: Record<string, string>[] = await readAll();
      const output = await testNamespace.install(
        'upgrade',
        '--set',
        'fleets.browser.maxWorkers=1,fleets.desktop.cooldownSeconds=600,fleets.second.maxWorkers=1',
      );
      const upgraded: Record<string, string>[] = await readAll();
      const { 'fleet-second': token, ...keys } = upgraded[0] ?? {};
      expect(Buffer.from(token ?? '', 'base64').toString()).toMatch(/^ft_\w{43}$/);
      expect([keys, ...upgraded.slice(1)]).toEqual(installed);
      for (const value of upgraded.flatMap((data) => Object.values(data)).filter((text) => text.length > 20)) {
        expect(output).not.toContain(value);
        expect(output).not.toContain(Buffer.from(value, 'base64').toString());
      }
    },
    6 * MINUTES,
  );

  test(
    'leaves no pod after an uninstall, keeps its data and finds it again, or removes everything',
    async () => {
      const key = await testNamespace.secret('installation-keys', 'admin-key');
      await testNamespace.helm(2 * MINUTES, 'uninstall', 'installation', '--wait');
      const waitUntilGone = (kind: string) =>
        until(`no ${kind} is left`, async () => (await testNamespace.names(kind)).length === 0, 90_000);
      // The finished test keeps its log; helm uninstalls no hooks.
      await testNamespace.kubectl('delete', 'pod', 'installation-test');
      await waitUntilGone('pods');
      expect(await testNamespace.names('secrets')).toEqual(secrets.map((name) => `secret/${name}`));
      expect(await testNamespace.names('pvc')).toHaveLength(3);

      await testNamespace.install('install', '--set', 'keepDataOnUninstall=false,tests.enabled=false');
      expect(await testNamespace.secret('installation-keys', 'admin-key')).toBe(key);
      const listRunsScript = `fetch('http://127.0.0.1:7100/v1/runs?limit=100',{headers:{authorization:'Bearer ${key}'}}).then(async r=>console.log(r.status,(await r.json()).items.length>0))`;
      // The run of `helm test` is still known.
      expect(
        await testNamespace.kubectl(
          'exec',
          'deployment/installation-api',
          '-c',
          'api',
          '--',
          'node',
          '-e',
          listRunsScript,
        ),
      ).toBe('200 true');

      await testNamespace.helm(2 * MINUTES, 'uninstall', 'installation', '--wait');
      for (const kind of ['pods', 'pvc', 'secrets', 'configmaps', 'leases', 'networkpolicies', 'roles', 'services'])
        await waitUntilGone(kind);
    },
    12 * MINUTES,
  );
});
