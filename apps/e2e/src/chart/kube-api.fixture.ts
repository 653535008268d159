import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** Kinds that the chart renders or looks up: plural names by group and version. */
const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    ConfigMap: 'configmaps',
    Namespace: 'namespaces',
    PersistentVolumeClaim: 'persistentvolumeclaims',
    Pod: 'pods',
    Secret: 'secrets',
    Service: 'services',
    ServiceAccount: 'serviceaccounts',
  },
  'apps/v1': { Deployment: 'deployments', StatefulSet: 'statefulsets' },
  'autoscaling/v2': { HorizontalPodAutoscaler: 'horizontalpodautoscalers' },
  'coordination.k8s.io/v1': { Lease: 'leases' },
  'networking.k8s.io/v1': { NetworkPolicy: 'networkpolicies' },
  'policy/v1': { PodDisruptionBudget: 'poddisruptionbudgets' },
  'rbac.authorization.k8s.io/v1': { Role: 'roles', RoleBinding: 'rolebindings' },
};

const pathOf = (version: string) => (version.includes('/') ? `/apis/${version}` : `/api/${version}`);

/** Discovery documents, by path. */
function discovery(): Map<string, object> {
  const groups = Object.keys(kinds).filter((version) => version.includes('/'));
  const group = (groupVersion: string) => {
    const [name, version] = groupVersion.split('/');
    const preferredVersion = { groupVersion, version };
    return { name, versions: [preferredVersion], preferredVersion };
  };
  const documents = new Map<string, object>([
    ['/version', { major: '1', minor: '34', gitVersion: 'v1.34.0' }],
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(group) }],
  ]);
  for (const [groupVersion, names] of Object.entries(kinds)) {
    const resources = Object.entries(names).map(([kind, name]) => ({
      kind,
      name,
      singularName: '',
      namespaced: kind !== 'Namespace',
      verbs: ['get', 'list', 'create', 'patch'],
    }));
    documents.set(pathOf(groupVersion), { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources });
  }
  return documents;
}

/**
 * Serves the requests of Helm when it renders a chart: discovery, and objects by name. `lookup` in a template finds
 * the objects in `objects`; nothing is written.
 */
export class KubeApi {
  objects: readonly KubeObject[] = [];
  readonly #documents = discovery();
  readonly #server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0] ?? '/';
    const document = this.#documents.get(path) ?? this.objects.find((object) => this.#pathOf(object) === path);
    const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? missing));
  });

  readonly #namespace: string;

  private constructor(namespace: string) {
    this.#namespace = namespace;
  }

  static async start(namespace: string): Promise<KubeApi> {
    const api = new KubeApi(namespace);
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** Arguments of Helm for this server. */
  get args(): string[] {
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    // This server has no schemas.
    return [
      '--kube-apiserver',
      url,
      '--dry-run=server',
      '--disable-openapi-validation',
      '--namespace',
      this.#namespace,
    ];
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #pathOf({ apiVersion, kind, metadata }: KubeObject): string {
    return `${pathOf(apiVersion)}/namespaces/${this.#namespace}/${kinds[apiVersion]?.[kind]}/${metadata.name}`;
  }
}
