import { until } from '../harness/poll-until.ts';
import { Space } from './chart-release.fixture.ts';
import { kubectl } from './chart-tools.fixture.ts';

/*
 * The chart on a real cluster (KUBECONFIG). The images of that cluster come by a values file, PILOTHOUSE_CHART_VALUES.
 */
const MINUTES = 60_000;
const secrets = ['installation-keys', 'installation-objects', 'installation-postgresql', 'installation-redis'];

describe('an installation that is installed with nothing set', () => {
  let space: Space;
  beforeAll(async () => {
    space = await Space.make();
    await space.install('install', '--set', 'fleets.browser.maxWorkers=1');
  }, 6 * MINUTES);
  afterAll(() => space?.end(), 2 * MINUTES);

  test('has its API ready, and stores with volumes', async () => {
    const available = await space.ask(
      'get',
      'deployment',
      'installation-api',
      '-o',
      'jsonpath={.status.availableReplicas}',
    );
    expect(Number(available)).toBeGreaterThanOrEqual(1);
    const volumes = await space.ask(
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
    const appending = await space.ask(
      'exec',
      'installation-redis-0',
      '--',
      'sh',
      '-c',
      'redis-cli config get appendonly; redis-cli config get maxmemory-policy',
    );
    expect(appending.split('\n')).toEqual(['appendonly', 'yes', 'maxmemory-policy', 'noeviction']);
  });

  test('shows its metrics at a port of their own, where the Service does not lead', async () => {
    const script = `Promise.all([7100, 9090].map((port) => fetch('http://127.0.0.1:' + port + '/metrics').then(async (r) => [r.status, /pilothouse_/.test(await r.text())]))).then((all) => console.log(JSON.stringify(all)))`;
    const said = await space.ask('exec', 'deployment/installation-api', '-c', 'api', '--', 'node', '-e', script);
    expect(JSON.parse(said)).toEqual([
      [404, false],
      [200, true],
    ]);
    const ports = await space.ask('get', 'service', 'installation-api', '-o', 'jsonpath={.spec.ports[*].targetPort}');
    expect(ports).toBe('http');
  });

  test(
    'gives the controller the rights it needs, in its namespace, and no others',
    async () => {
      const may = async (who: string, verb: string, what: string, namespace = space.name) =>
        (await kubectl(['-n', namespace, 'auth', 'can-i', verb, what, '--as', who])).stdout.trim();
      const controller = `system:serviceaccount:${space.name}:installation-fleet`;
      const allPods = `system:serviceaccount:${space.name}:default`;
      for (const verb of ['get', 'list', 'watch', 'create', 'delete', 'patch'])
        expect([verb, await may(controller, verb, 'pods')]).toEqual([verb, 'yes']);
      for (const verb of ['get', 'update', 'patch'])
        expect([verb, await may(controller, verb, 'leases/installation-fleet')]).toEqual([verb, 'yes']);
      expect(await may(controller, 'create', 'events')).toBe('yes');
      for (const [verb, what] of [
        ['get', 'secrets'],
        ['create', 'pods:exec'],
        ['get', 'pods:log'],
        ['update', 'leases/other'],
        ['create', 'leases'],
        ['list', 'events'],
        ['get', 'configmaps'],
        ['update', 'roles'],
      ] as const)
        expect([verb, what, await may(controller, verb, what)]).toEqual([verb, what, 'no']);
      expect(await may(controller, 'list', 'pods', 'default')).toBe('no');
      expect(await may(allPods, 'list', 'pods')).toBe('no');
    },
    2 * MINUTES,
  );

  test(
    'keeps a worker from the stores, the Kubernetes API and other workers, and the stores from everybody else',
    async () => {
      const worker = {
        'app.kubernetes.io/name': 'pilothouse',
        'app.kubernetes.io/component': 'worker',
        'app.kubernetes.io/instance': 'installation',
        'pilothouse.dev/fleet': 'browser',
      };
      const [other, , stranger] = await Promise.all([
        space.probe('worker-a', worker),
        space.probe('worker-b', worker),
        space.probe('stranger', {}),
      ]);
      const kubernetes = await space.ask(
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
      // That the probe can reach something: the API from a worker, another pod and the Kubernetes API from a pod of nobody.
      expect(await space.reaches('worker-b', 'installation-api', 7100, true)).toBe(true);
      expect(await space.reaches('stranger', kubernetes, 443, true)).toBe(true);
      for (const [host, port] of [...stores, [kubernetes, 443], [other, 8080], [stranger, 8080]] as const)
        expect([host, await space.reaches('worker-b', host, port, false)]).toEqual([host, false]);
      for (const [host, port] of [...stores, [other, 8080]] as const)
        expect([host, await space.reaches('stranger', host, port, false)]).toEqual([host, false]);
      await space.ask('delete', 'pod', 'worker-a', 'worker-b', 'stranger', '--wait=false');
    },
    5 * MINUTES,
  );

  test(
    'carries out a workflow: `helm test`',
    async () => {
      const said = await space
        .helm(5 * MINUTES, 'test', 'installation', '--timeout', '150s')
        .catch(async (error: unknown) => {
          const log = await kubectl(['-n', space.name, 'logs', 'installation-test']);
          throw new Error(`${String(error)}\n${log.text}`);
        });
      expect(said).toContain('Succeeded');
    },
    6 * MINUTES,
  );

  test(
    'takes its Secrets over at an upgrade, makes one for a new fleet, and does not print them',
    async () => {
      const all = () =>
        Promise.all(
          secrets.map(async (name) => JSON.parse(await space.ask('get', 'secret', name, '-o', 'jsonpath={.data}'))),
        );
      const before: Record<string, string>[] = await all();
      const said = await space.install('upgrade', '--set', 'fleets.browser.maxWorkers=1,fleets.second.maxWorkers=1');
      const after: Record<string, string>[] = await all();
      const { 'fleet-second': token, ...keys } = after[0] ?? {};
      expect(Buffer.from(token ?? '', 'base64').toString()).toMatch(/^ft_\w{43}$/);
      expect([keys, ...after.slice(1)]).toEqual(before);
      for (const value of after.flatMap((data) => Object.values(data)).filter((text) => text.length > 20)) {
        expect(said).not.toContain(value);
        expect(said).not.toContain(Buffer.from(value, 'base64').toString());
      }
    },
    6 * MINUTES,
  );

  test(
    'leaves no pod at an uninstall, keeps its data, and finds it again; or leaves nothing',
    async () => {
      const key = await space.secret('installation-keys', 'admin-key');
      await space.helm(2 * MINUTES, 'uninstall', 'installation', '--wait');
      const nothing = (kind: string) =>
        until(`no ${kind} is left`, async () => (await space.names(kind)).length === 0, 90_000);
      await nothing('pods');
      expect(await space.names('secrets')).toEqual(secrets.map((name) => `secret/${name}`));
      expect(await space.names('pvc')).toHaveLength(3);

      await space.install('install', '--set', 'keepDataOnUninstall=false,tests.enabled=false');
      expect(await space.secret('installation-keys', 'admin-key')).toBe(key);
      const ask = `fetch('http://127.0.0.1:7100/v1/runs?limit=100',{headers:{authorization:'Bearer ${key}'}}).then(async r=>console.log(r.status,(await r.json()).items.length>0))`;
      // The run of `helm test` is still known.
      expect(await space.ask('exec', 'deployment/installation-api', '-c', 'api', '--', 'node', '-e', ask)).toBe(
        '200 true',
      );

      await space.helm(2 * MINUTES, 'uninstall', 'installation', '--wait');
      for (const kind of ['pods', 'pvc', 'secrets', 'configmaps', 'leases', 'networkpolicies', 'roles', 'services'])
        await nothing(kind);
    },
    12 * MINUTES,
  );
});
