import { KubeApi } from './kube-api.fixture.ts';
import { chart, helm, ofKind } from './chart-tools.fixture.ts';

const externalDatabase = ['--set', 'database.existingSecret=mine'];
const upgrade = ['--is-upgrade'];

const claim = (component: string, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: `data-x-${component}-0`, ...metadata },
});
const secret = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});
const statefulSet = (component: string, storage: string, storageClassName?: string) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: `x-${component}` },
  spec: { volumeClaimTemplates: [{ spec: { storageClassName, resources: { requests: { storage } } } }] },
});

const keys = secret('x-keys', {
  'master-key': 'm',
  'slot-key': 's',
  'admin-key': 'ph_a',
  'fleet-browser': 'ft_b',
  'fleet-desktop': 'ft_d',
});
const postgresql = secret('x-postgresql', { password: 'p' });
const redis = secret('x-redis', { password: 'r' });
const objects = secret('x-objects', { 'access-key': 'a', 'secret-key': 's' });
const claims = ['postgresql', 'redis', 'objects'].map((component) => claim(component));
const allSecrets = [keys, postgresql, redis, objects, ...claims];

let api: KubeApi;
beforeEach(async () => (api = await KubeApi.start('installation')));
afterEach(() => api.close());

const template = (...args: string[]) => helm(['template', 'x', chart, ...api.args, ...args]);

/** The value of a key in a Secret that was rendered, decoded. */
const valueOf = (rendered: string, name: string, key: string) => {
  const [secretText = ''] = ofKind(rendered, 'Secret').filter((text) => text.includes(`name: ${name}\n`));
  return Buffer.from(new RegExp(`^ {2}${key}: (\\S+)$`, 'm').exec(secretText)?.[1] ?? '', 'base64').toString();
};

/** Digest of the Secrets in the environment of each pod, by the name of its Deployment or StatefulSet. */
const digests = (rendered: string) =>
  Object.fromEntries(
    [...ofKind(rendered, 'Deployment'), ...ofKind(rendered, 'StatefulSet')].map((text) => [
      /^ {2}name: (.*)$/m.exec(text)?.[1],
      /"checksum\/secrets":"(\w{64})"/.exec(text)?.[1],
    ]),
  );

describe('Secrets that the chart creates', () => {
  test('are read from the cluster', async () => {
    api.objects = allSecrets;
    const { stdout, ok } = await template(...upgrade);
    expect(ok).toBe(true);
    expect(valueOf(stdout, 'x-keys', 'master-key')).toBe('m');
    expect(valueOf(stdout, 'x-keys', 'admin-key')).toBe('ph_a');
    expect(valueOf(stdout, 'x-postgresql', 'url')).toBe('postgresql://pilothouse:p@x-postgresql:5432/pilothouse');
    expect(valueOf(stdout, 'x-redis', 'url')).toBe('redis://:r@x-redis:6379/0');
    expect(valueOf(stdout, 'x-objects', 'secret-key')).toBe('s');
  });

  test('are created when there is neither data nor a Secret', async () => {
    const { stdout, ok } = await template();
    expect(ok).toBe(true);
    expect(valueOf(stdout, 'x-keys', 'admin-key')).toMatch(/^ph_\w{43}$/);
  });

  test.each([
    ['the keys', [keys], [], /Secret installation\/x-keys is missing.*claim data-x-postgresql-0.*Restore the Secret/],
    ['the keys, at an install over old data', [keys], [], /Secret installation\/x-keys is missing/, []],
    ['the database’s', [postgresql], [], /Secret installation\/x-postgresql is missing.*claim data-x-postgresql-0/],
    ['Redis’', [redis], [], /Secret installation\/x-redis is missing.*claim data-x-redis-0/],
    ['the object store’s', [objects], [], /Secret installation\/x-objects is missing.*claim data-x-objects-0/],
    [
      'the keys beside an external database',
      [keys, claim('postgresql')],
      externalDatabase,
      /but the installation exists/,
    ],
  ])('are not replaced when they are lost: %s', async (_, lost, values, sentence, verb: string[] = upgrade) => {
    api.objects = allSecrets.filter((object) => !lost.some(({ metadata }) => metadata === object.metadata));
    const { text, ok } = await template(...verb, ...values);
    expect(text).toMatch(sentence);
    expect(ok).toBe(false);
  });

  test('are not replaced when the master key alone is lost', async () => {
    api.objects = [secret('x-keys', { 'admin-key': 'ph_a' }), ...allSecrets.slice(1)];
    expect(await template(...upgrade)).toMatchObject({ ok: false, text: expect.stringContaining('no key master-key') });
  });

  test('are created again when the data is discarded, and are not created for an existing Secret', async () => {
    api.objects = [postgresql, redis, objects, claim('postgresql', { deletionTimestamp: '2026-01-01T00:00:00Z' })];
    expect(await template(...upgrade)).toMatchObject({ ok: true });
    api.objects = [];
    const withExistingSecret = await template(...upgrade, ...externalDatabase, '--set', 'secrets.existingSecret=own');
    expect(withExistingSecret).toMatchObject({ ok: true });
    // A new installation.
    expect(await template(...externalDatabase)).toMatchObject({ ok: true });
  });
});

describe('a pod is replaced', () => {
  test('when the content of a Secret in its environment changes, and only then', async () => {
    api.objects = allSecrets;
    const firstDigests = digests((await template(...upgrade)).stdout);
    expect(Object.values(firstDigests).filter(Boolean)).toHaveLength(6);
    expect(digests((await template(...upgrade)).stdout)).toEqual(firstDigests);
    api.objects = [
      secret('x-keys', {
        'master-key': 'm',
        'slot-key': 's',
        'admin-key': 'ph_other',
        'fleet-browser': 'ft_b',
        'fleet-desktop': 'ft_d',
      }),
      ...allSecrets.slice(1),
    ];
    const secondDigests = digests((await template(...upgrade)).stdout);
    const changedNames = Object.keys(firstDigests).filter((name) => firstDigests[name] !== secondDigests[name]);
    expect(changedNames.sort()).toEqual(['x-api']);
  });

  test('not by the first upgrade after the install', async () => {
    const installed = (await template()).stdout;
    api.objects = [
      secret(
        'x-keys',
        Object.fromEntries(
          ['master-key', 'admin-key', 'slot-key', 'fleet-browser', 'fleet-desktop'].map((key) => [
            key,
            valueOf(installed, 'x-keys', key),
          ]),
        ),
      ),
      secret('x-postgresql', { password: valueOf(installed, 'x-postgresql', 'password') }),
      secret('x-redis', { password: valueOf(installed, 'x-redis', 'password') }),
      secret('x-objects', { 'access-key': 'pilothouse', 'secret-key': valueOf(installed, 'x-objects', 'secret-key') }),
      ...claims,
    ];
    expect(digests((await template(...upgrade)).stdout)).toEqual(digests(installed));
  });

  test.each([
    ['secrets', ['x-api']],
    ['database', ['x-api', 'x-fleet', 'x-jobs']],
    ['redis', ['x-api', 'x-jobs']],
    ['models', ['x-api', 'x-jobs']],
  ])('when an existing Secret changes: %s', async (part, pods) => {
    const values = ['--set', `${part}.existingSecret=own`];
    api.objects = [...allSecrets, secret('own', { a: '1' })];
    const firstDigests = digests((await template(...upgrade, ...values)).stdout);
    api.objects = [...allSecrets, secret('own', { a: '2' })];
    const secondDigests = digests((await template(...upgrade, ...values)).stdout);
    expect(
      Object.keys(firstDigests)
        .filter((name) => firstDigests[name] !== secondDigests[name])
        .sort(),
    ).toEqual(pods);
  });
});

describe('the volume of a bundled store', () => {
  test.each([
    ['postgresql', 'database.bundled', '10Gi', '20Gi'],
    ['redis', 'redis.bundled', '2Gi', '2048M'],
    ['objects', 'objectStore.bundled', '20Gi', '10Gi'],
  ])('of %s keeps its size: the chart explains how to grow it', async (component, path, storage, newSize) => {
    api.objects = [...allSecrets, statefulSet(component, storage)];
    expect(await template(...upgrade)).toMatchObject({ ok: true });
    const { text, ok } = await template(...upgrade, '--set', `${path}.storage=${newSize}`);
    expect(ok).toBe(false);
    expect(text).toContain(`${path}.storage: the StatefulSet x-${component} was created with ${storage}`);
    expect(text).toContain(
      `kubectl -n installation patch pvc data-x-${component}-0 -p '{"spec":{"resources":{"requests":{"storage":"${newSize}"}}}}'`,
    );
    expect(text).toContain(`kubectl -n installation delete statefulset x-${component} --cascade=orphan`);
  });

  test.each(['10240Mi', '10Gi'])('is the same written as %s', async (storage) => {
    api.objects = [...allSecrets, statefulSet('postgresql', '10Gi')];
    expect(await template(...upgrade, '--set', `database.bundled.storage=${storage}`)).toMatchObject({ ok: true });
  });

  test('keeps its class', async () => {
    api.objects = [...allSecrets, statefulSet('redis', '2Gi', 'slow')];
    expect(await template(...upgrade, '--set', 'redis.bundled.storageClass=slow')).toMatchObject({ ok: true });
    const { text, ok } = await template(...upgrade, '--set', 'redis.bundled.storageClass=fast');
    expect(text).toContain('redis.bundled.storageClass: the StatefulSet x-redis was created with "slow"');
    expect(ok).toBe(false);
  });
});
