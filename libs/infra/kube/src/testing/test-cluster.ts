import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { loadYaml } from '@kubernetes/client-node';
import { KubeClient } from '../kube-client.ts';
import type { KubeLease } from '../leader-election.ts';
import type { Pod } from '../kube-pod.ts';

/** Opens the test cluster. @throws Error if KUBECONFIG is not set */
export async function testCluster(): Promise<KubeClient> {
  const { KUBECONFIG } = process.env;
  if (!KUBECONFIG) throw new Error('Set KUBECONFIG to a cluster in which namespaces may be made and deleted');
  return KubeClient.open(KUBECONFIG);
}

/** An image with Node.js that the nodes can pull. */
export const testImage = (): string => process.env.CLUSTER_TEST_IMAGE || 'node:24-bookworm-slim';

/** Rules of the Role of a component in the chart, for a release named `pilothouse`. */
function chartRules(component: 'controller' | 'jobs'): object[] {
  const file = join(import.meta.dirname, `../../../../../charts/pilothouse/templates/${component}.yaml`);
  const [, rules = ''] = /^rules:\n((?: {2}\S.*\n)+)/m.exec(readFileSync(file, 'utf8')) ?? [];
  const withoutConditions = rules.replaceAll(/^ {2}\{\{.*\n/gm, '');
  const chartRoles = loadYaml<object[]>(withoutConditions.replaceAll('{{ $name }}-fleet', 'pilothouse'));
  if (!Array.isArray(chartRoles) || chartRoles.length === 0)
    throw new Error(`${file} has no rules where they are looked for`);
  return chartRoles;
}

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** A namespace for one spec. It enforces the restricted Pod Security Standard and contains the Lease `pilothouse`. */
export class TestNamespace {
  readonly connection: KubeClient;
  readonly name: string;

  private constructor(connection: KubeClient, name: string) {
    this.connection = connection;
    this.name = name;
  }

  static async make(prefix: string): Promise<TestNamespace> {
    const name = `${prefix}-${randomBytes(4).toString('hex')}`;
    const space = new TestNamespace(await testCluster(), name);
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
    await space.call('POST', '/api/v1/namespaces', body);
    await space.makeLease('pilothouse');
    return space;
  }

  call<Answer>(method: keyof typeof verbs, path: string, body?: object): Promise<Answer> {
    return this.connection.call<Answer>({ verb: verbs[method], path, body, signal: AbortSignal.timeout(10_000) });
  }

  asController(): Promise<KubeClient> {
    return this.#withRoleOf('controller');
  }

  asJobRunner(): Promise<KubeClient> {
    return this.#withRoleOf('jobs');
  }

  /** Returns a client of a service account that has only the Role of a component of the chart. */
  async #withRoleOf(name: 'controller' | 'jobs'): Promise<KubeClient> {
    const metadata = { name };
    const accounts = `/api/v1/namespaces/${this.name}/serviceaccounts`;
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${this.name}`;
    await this.call('POST', accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const api = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    await this.call('POST', `${rbac}/roles`, { ...api, kind: 'Role', rules: chartRules(name) });
    await this.call('POST', `${rbac}/rolebindings`, {
      ...api,
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: metadata.name, namespace: this.name }],
    });
    const tokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3_600 },
    };
    const { status } = await this.call<{ status: { token: string } }>(
      'POST',
      `${accounts}/${name}/token`,
      tokenRequest,
    );
    return await this.connection.withToken(status.token);
  }

  get pods(): string {
    return `/api/v1/namespaces/${this.name}/pods`;
  }

  get leases(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.name}/leases`;
  }

  makeLease(name: string): Promise<KubeLease> {
    return this.call('POST', this.leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, labels: {} },
    });
  }

  async podList(): Promise<readonly Pod[]> {
    return (await this.call<{ items: Pod[] }>('GET', this.pods)).items;
  }

  async remove(): Promise<void> {
    await this.call('DELETE', `/api/v1/namespaces/${this.name}`);
    this.connection.close();
  }
}

/** A TCP proxy to an API server that can disconnect and stall, as a network does. */
export class RecordingProxy {
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  readonly #target: URL;
  #mode: 'open' | 'cut' | 'held' = 'open';

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async to(server: string): Promise<RecordingProxy> {
    const wire = new RecordingProxy(server);
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections, and new ones at once. */
  cut(): void {
    this.#mode = 'cut';
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stalls all connections without closing them. */
  pause(): void {
    this.#mode = 'held';
    for (const socket of this.#sockets) socket.pause();
  }

  /** Lets new connections pass. Stalled ones stay stalled. */
  restore(): void {
    this.#mode = 'open';
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const track = (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    };
    track(client);
    if (this.#mode === 'cut') return void client.destroy();
    const upstream = connect(Number(this.#target.port || 443), this.#target.hostname);
    track(upstream);
    for (const [source, destination] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      source.on('data', (data) => destination.write(data)).on('close', () => destination.destroy());
    }
    if (this.#mode === 'held') for (const socket of [client, upstream]) socket.pause();
  }
}
