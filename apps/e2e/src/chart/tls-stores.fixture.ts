import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestNamespace } from './chart-release.fixture.ts';
import { clusterValues, kubectl, ofKind, render } from './chart-tools.fixture.ts';

const run = promisify(execFile);

/** Names of the stores, which are the hosts in their certificate. */
const hosts = { postgresql: 'my-postgresql', redis: 'my-redis', objects: 'my-objects' } as const;
const password = 'not-a-secret';

interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** Creates a private authority and one certificate for all stores; needs `openssl`. */
async function certificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder, timeout: 30_000 });
  const readText = (file: string) => readFile(join(folder, file), 'utf8');
  try {
    await openssl(
      ...'req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=authority'.split(' '),
    );
    await openssl(...'req -newkey rsa:2048 -nodes -keyout tls.key -out tls.csr -subj /CN=stores'.split(' '));
    const names = Object.values(hosts).map((host) => `DNS:${host}`);
    await writeFile(join(folder, 'names'), `subjectAltName=${names.join(',')}\n`);
    const signing = '-CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names'.split(' ');
    await openssl('x509', '-req', '-in', 'tls.csr', '-out', 'tls.crt', ...signing);
    return { ca: await readText('ca.crt'), cert: await readText('tls.crt'), key: await readText('tls.key') };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Images that the chart would use for its own stores on this cluster. */
async function images(): Promise<Record<keyof typeof hosts, string>> {
  const stores = ofKind(await render(...clusterValues()), 'StatefulSet');
  const imageOf = (component: string) => {
    const text = stores.find((manifest) => manifest.includes(`name: x-${component}`)) ?? '';
    return /image: (\S+)/.exec(text)?.[1] ?? '';
  };
  return { postgresql: imageOf('postgresql'), redis: imageOf('redis'), objects: imageOf('objects') };
}

interface Server {
  port: number;
  uid: number;
  args: string[];
  env?: Record<string, string>;
}

const servers: Record<keyof typeof hosts, Server> = {
  postgresql: {
    port: 5432,
    uid: 999,
    args: ['postgres', '-c', 'ssl=on', '-c', 'ssl_cert_file=/tls/tls.crt', '-c', 'ssl_key_file=/tls/tls.key'],
    env: {
      POSTGRES_USER: 'installation',
      POSTGRES_DB: 'installation',
      POSTGRES_PASSWORD: password,
      PGDATA: '/data/pgdata',
    },
  },
  redis: {
    port: 6379,
    uid: 999,
    // No port without TLS.
    args: `--port 0 --tls-port 6379 --tls-cert-file /tls/tls.crt --tls-key-file /tls/tls.key --tls-ca-cert-file /tls/ca.crt --tls-auth-clients no --requirepass ${password} --dir /data --maxmemory-policy noeviction`.split(
      ' ',
    ),
  },
  objects: {
    port: 9000,
    uid: 1000,
    // MinIO finds its certificate by file name, and uses only TLS when there is one.
    args: ['server', '/data', '--address', ':9000', '--certs-dir', '/tls'],
    env: { MINIO_ROOT_USER: 'installation', MINIO_ROOT_PASSWORD: password, HOME: '/tmp' },
  },
};

function storeOf(name: keyof typeof hosts, image: string): object[] {
  const host = hosts[name];
  const { port, uid, args, env = {} } = servers[name];
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: host, labels: { app: host } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: uid,
        fsGroup: uid,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'store',
          image,
          imagePullPolicy: 'IfNotPresent',
          args,
          env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: [
            { name: 'tls', mountPath: '/tls', readOnly: true },
            ...['/data', '/tmp', '/var/run/postgresql'].map((mountPath, n) => ({
              name: 'scratch',
              mountPath,
              subPath: String(n),
            })),
          ],
        },
      ],
      volumes: [
        { name: 'tls', secret: { secretName: 'store-certificate', defaultMode: 0o440 } },
        { name: 'scratch', emptyDir: {} },
      ],
    },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: host },
    spec: { selector: { app: host }, ports: [{ port }] },
  };
  return [pod, service];
}

const secret = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

/** Chart values for these stores, without their authority. */
export const tlsStoreValues = [
  'database.existingSecret=mine-database',
  'redis.existingSecret=mine-redis',
  'objectStore.existingSecret=mine-objects',
  `objectStore.endpoint=https://${hosts.objects}:9000`,
].flatMap((value) => ['--set', value]);

/** The Secret in `tls.existingSecret`. */
export const authoritySecret = 'mine-ca';

/** Installs a PostgreSQL, a Redis and an S3 server (MinIO) with TLS in a namespace, and the Secrets for them. */
export async function makeTlsStores(testNamespace: TestNamespace): Promise<void> {
  const [{ ca, cert, key }, image] = await Promise.all([certificates(), images()]);
  const items = [
    secret('store-certificate', {
      'tls.crt': cert,
      'tls.key': key,
      'public.crt': cert,
      'private.key': key,
      'ca.crt': ca,
    }),
    secret(authoritySecret, { 'ca.crt': ca }),
    secret('mine-database', {
      url: `postgresql://installation:${password}@${hosts.postgresql}:5432/installation?sslmode=verify-full`,
    }),
    secret('mine-redis', { url: `rediss://:${password}@${hosts.redis}:6379/0` }),
    secret('mine-objects', { 'access-key': 'installation', 'secret-key': password }),
    ...storeOf('postgresql', image.postgresql),
    ...storeOf('redis', image.redis),
    ...storeOf('objects', image.objects),
  ];
  const { ok, text } = await testNamespace.apply({ apiVersion: 'v1', kind: 'List', items });
  if (!ok) throw new Error(text);
  const pods = Object.values(hosts).map((host) => `pod/${host}`);
  const wait = ['-n', testNamespace.name, 'wait', ...pods, '--for=condition=Ready', '--timeout=120s'];
  const ready = await kubectl(wait, { ms: 130_000 });
  if (!ready.ok) throw new Error(ready.text);
}

/** Number of PostgreSQL connections from other pods, and number of encrypted ones. */
export async function countConnections(testNamespace: TestNamespace): Promise<{ all: number; encrypted: number }> {
  const query =
    'select count(*), count(*) filter (where ssl) from pg_stat_ssl join pg_stat_activity using (pid) where client_addr is not null and pid <> pg_backend_pid()';
  const psql = [
    'env',
    `PGPASSWORD=${password}`,
    'psql',
    '-h',
    '127.0.0.1',
    '-U',
    'installation',
    '-d',
    'installation',
    '-Atc',
    query,
  ];
  const output = await testNamespace.kubectl('exec', hosts.postgresql, '--', ...psql);
  const [total, encrypted] = output.split('|').map(Number);
  return { all: total ?? NaN, encrypted: encrypted ?? NaN };
}
