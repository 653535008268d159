/*
 * Tests that PostgreSQL, Redis and an S3 server are reached by TLS through the chart settings for external stores. The
 * certificates come from a private authority. Connections are refused until the authority is configured; then a run
 * completes. (The S3 server is MinIO: the values of the cluster have to provide it.)
 */
import { until } from '../harness/poll-until.ts';
import { TestNamespace } from './chart-release.fixture.ts';
import { countConnections, makeTlsStores, authoritySecret, tlsStoreValues } from './tls-stores.fixture.ts';
import { clusterValues, chart, kubectl } from './chart-tools.fixture.ts';

const MINUTES = 60_000;

describe('an installation with external stores, over TLS', () => {
  let testNamespace: TestNamespace;
  beforeAll(async () => {
    testNamespace = await TestNamespace.create();
    await makeTlsStores(testNamespace);
  }, 3 * MINUTES);
  afterAll(() => testNamespace?.end(), 2 * MINUTES);

  const helm = (verb: 'install' | 'upgrade', ...args: string[]) =>
    testNamespace.helm(
      MINUTES,
      verb,
      'installation',
      chart,
      ...clusterValues(),
      ...tlsStoreValues,
      '--set',
      'api.replicas=1',
      ...args,
    );

  test(
    'rejects all of them until it trusts their authority',
    async () => {
      await helm('install');
      const output = await until(
        'the migrations say why they do not reach the database',
        async () => {
          const log = [
            '-n',
            testNamespace.name,
            'logs',
            '-l',
            'app.kubernetes.io/component=api',
            '-c',
            'migrate',
            '--tail=50',
          ];
          const { text } = await kubectl(log);
          return /certificate/i.test(text) && text;
        },
        2 * MINUTES,
        1000,
      );
      expect(output).toMatch(/certificate/i);
      expect(await testNamespace.names('statefulsets')).toEqual([]);
    },
    3 * MINUTES,
  );

  test(
    'reaches all three with it, and executes a run',
    async () => {
      await helm('upgrade', '--set', `tls.existingSecret=${authoritySecret}`);
      const status = ['-n', testNamespace.name, 'rollout', 'status', 'deployment/installation-api', '--timeout=150s'];
      const { ok, text } = await kubectl(status, { ms: 160_000 });
      expect({ ok, text: ok ? '' : text }).toEqual({ ok: true, text: '' });
      const output = await testNamespace.helm(5 * MINUTES, 'test', 'installation', '--timeout', '150s');
      expect(output).toContain('Succeeded');
      const { all, encrypted } = await countConnections(testNamespace);
      expect(all).toBeGreaterThan(0);
      expect(encrypted).toBe(all);
    },
    8 * MINUTES,
  );
});
