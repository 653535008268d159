import { randomBytes } from 'node:crypto';
import { fleetViewSchema, type FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { kubectlOutput, chart, clusterValues, helm, kubectl } from '../chart/chart-tools.fixture.ts';
import { until } from '../harness/poll-until.ts';
import { siteObjects } from './cluster-demo-site.ts';
import { ReconnectingClient } from './reconnecting-client.ts';
import { PortForward } from './port-forward.ts';

const workers = 'app.kubernetes.io/component=worker';
const small = { requests: { cpu: '20m', memory: '128Mi' } };

/** A request that the demo site recorded. */
export interface LedgerEntry {
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Chart values by path. They override the values of the cluster. */
export type Values = Readonly<Record<string, unknown>>;

/** Default chart values of the suite: small, with the demo site, without data after removal. */
const common: Values = {
  keepDataOnUninstall: false,
  'tests.enabled': false,
  'demo.enabled': true,
  'api.replicas': 1,
  'api.resources': small,
  'fleetController.resources': small,
  'fleetDefaults.resources': { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '2Gi' } },
};

/**
 * An installation of one suite, in a namespace that enforces Pod Security `restricted`. The release has the name of
 * the namespace.
 */
export class ClusterInstallation {
  readonly name = `suite-${randomBytes(4).toString('hex')}`;
  /** URL of the demo site for workers. */
  readonly site: string;
  readonly #siteService: string;
  #api: PortForward | undefined;
  #demo: PortForward | undefined;
  #client: ReconnectingClient | undefined;

  private constructor(siteService?: string) {
    this.#siteService = siteService ?? `${this.name}-demo`;
    this.site = `http://${this.#siteService}:7180`;
  }

  /**
   * Creates an installation.
   * @param chartFolder the folder of the chart
   * @param siteImage image for a demo site outside the release; undefined: the demo site of the release
   */
  static async install(values: Values, chartFolder = chart, siteImage?: string): Promise<ClusterInstallation> {
    const installation = new ClusterInstallation(siteImage && 'site');
    try {
      await kubectlOutput('create', 'namespace', installation.name);
      await kubectlOutput('label', 'namespace', installation.name, 'pod-security.kubernetes.io/enforce=restricted');
      if (siteImage) await installation.apply(siteObjects(siteImage));
      await installation.helm('install', values, chartFolder);
      await installation.waitUntilReady();
      installation.#api = await PortForward.open(installation.name, `${installation.name}-api`, 7100);
      installation.#demo = await PortForward.open(installation.name, installation.#siteService, 7180);
      const key = await installation.kubectl(
        'get',
        'secret',
        `${installation.name}-keys`,
        '-o',
        'jsonpath={.data.admin-key}',
      );
      installation.#client = new ReconnectingClient(installation.#api, Buffer.from(key, 'base64').toString());
      await installation.ledger();
      return installation;
    } catch (error) {
      const diagnostics = await installation.diagnostics();
      await installation.dispose();
      throw new Error(`${String(error)}\n${diagnostics}`);
    }
  }

  /** Installs or upgrades. Does not wait for the pods. */
  async helm(verb: 'install' | 'upgrade', values: Values, chartFolder = chart): Promise<void> {
    const valueArgs = Object.entries({ ...common, ...values }).flatMap(([path, value]) => [
      '--set-json',
      `${path}=${JSON.stringify(value)}`,
    ]);
    await this.#helm(verb, this.name, chartFolder, ...clusterValues(), ...valueArgs);
  }

  /** Rolls back to an earlier revision of the release: 1 is the installation. */
  async rollback(revision: number): Promise<void> {
    await this.#helm('rollback', this.name, String(revision));
  }

  /** Uninstalls the release, and waits for the removal of its objects. */
  async uninstall(): Promise<void> {
    await this.#helm('uninstall', this.name, '--wait');
  }

  async #helm(...args: string[]): Promise<void> {
    const { ok, text } = await helm([...args, '-n', this.name], 120_000);
    if (!ok) throw new Error(`helm ${args.join(' ')}: ${text}`);
  }

  /** Waits until every component except the workers is ready. */
  async waitUntilReady(): Promise<void> {
    const demo = this.#siteService === 'site' ? [] : ['deployment/NAME-demo'];
    for (const component of ['statefulset/NAME-postgresql', ...demo, 'deployment/NAME-api', 'deployment/NAME-fleet'])
      await this.waitForRollout(component.replace('NAME', this.name));
  }

  /**
   * Waits for the rollout of a component.
   * @throws the output of `kubectl rollout status` after three minutes
   */
  async waitForRollout(part: string): Promise<void> {
    const args = ['-n', this.name, 'rollout', 'status', part, '--timeout=180s'];
    const { ok, text } = await kubectl(args, { ms: 190_000 });
    if (!ok) throw new Error(`${part}: ${text}`);
  }

  /** Moves the demo site, whose ledger is in memory, to a node without faults. */
  async pinDemoSite(node: string): Promise<void> {
    const template = { spec: { nodeSelector: { 'kubernetes.io/hostname': node } } };
    const deployment = `deployment/${this.name}-demo`;
    await this.kubectl('patch', deployment, '--patch', JSON.stringify({ spec: { template } }));
    await this.waitForRollout(deployment);
  }

  /**
   * Ensures that a pod of each of these components is on a node. A pod that has to move is deleted, and may be
   * scheduled anywhere later.
   * @param nodes all schedulable nodes
   */
  async pinTo(node: string, nodes: readonly string[], components: readonly string[]): Promise<void> {
    const otherNodes = nodes.filter((name) => name !== node);
    try {
      for (const name of otherNodes) await kubectlOutput('cordon', name);
      for (const component of components) {
        if ((await this.pods(component, node)).length > 0) continue;
        const [podName = ''] = await this.pods(component);
        await this.kubectl('delete', 'pod', podName, '--timeout=55s');
        const hasPod = async () => (await this.pods(component, node)).length > 0;
        await until(`a pod of ${component} is on ${node}`, hasPod, 60_000, 500);
      }
    } finally {
      for (const name of otherNodes) await kubectlOutput('uncordon', name);
    }
    for (const part of ['api', 'fleet']) await this.waitForRollout(`deployment/${this.name}-${part}`);
  }

  get client(): ReconnectingClient {
    if (!this.#client) throw new Error('The release is not installed');
    return this.#client;
  }

  /**
   * Runs `kubectl` in the namespace of the installation.
   * @throws its output when it fails
   */
  kubectl(...args: string[]): Promise<string> {
    return kubectlOutput('-n', this.name, ...args);
  }

  /** @throws the output of `kubectl apply` when it fails */
  async apply(object: object): Promise<void> {
    const { ok, text } = await kubectl(['-n', this.name, 'apply', '-f', '-'], { input: JSON.stringify(object) });
    if (!ok) throw new Error(text);
  }

  async fleet(name = 'browser'): Promise<FleetView> {
    return fleetViewSchema.parse(await this.client.json(`/v1/fleets/${name}`));
  }

  /** Orders that the demo site recorded. */
  async ledger(): Promise<LedgerEntry[]> {
    return await until(
      'the demo site shows its ledger',
      async () => {
        try {
          const signal = AbortSignal.timeout(10_000);
          const response = await fetch(`${this.#demo?.url}/__ledger?kind=order`, { signal });
          return ((await response.json()) as { entries: LedgerEntry[] }).entries;
        } catch {
          this.#demo?.reconnect();
          return null;
        }
      },
      60_000,
      250,
    );
  }

  /** Metrics of the controller. */
  async scrape(): Promise<string> {
    const script = `fetch('http://127.0.0.1:9090/metrics').then(async (r) => console.log(await r.text()))`;
    return await this.kubectl('exec', `deployment/${this.name}-fleet`, '-c', 'fleet', '--', 'node', '-e', script);
  }

  /** Names of worker pods, of one fleet or of all. */
  async workers(fleet?: string): Promise<string[]> {
    const select = fleet === undefined ? workers : `${workers},pilothouse.dev/fleet=${fleet}`;
    const names = await this.kubectl('get', 'pods', '-l', select, '-o', 'jsonpath={.items[*].metadata.name}');
    return names.split(' ').filter(Boolean);
  }

  /** Names of the pods of a component, on one node or on all. */
  async pods(component: string, node?: string): Promise<string[]> {
    const select = ['-l', `app.kubernetes.io/component=${component}`];
    const nodeFilter = node === undefined ? [] : ['--field-selector', `spec.nodeName=${node}`];
    const names = await this.kubectl(
      'get',
      'pods',
      ...select,
      ...nodeFilter,
      '-o',
      'jsonpath={.items[*].metadata.name}',
    );
    return names.split(' ').filter(Boolean);
  }

  /** Runs a function in this installation. On failure it adds diagnostics of the cluster. */
  async withDiagnostics<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw new Error(
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${await this.diagnostics()}`,
      );
    }
  }

  /**
   * Diagnostics: pods, events, fleets as the API reports them, and the last log lines of controller, API and workers.
   */
  async diagnostics(): Promise<string> {
    const section = async (...args: string[]) =>
      `--- kubectl ${args.join(' ')}\n${(await kubectl(['-n', this.name, ...args])).text}`;
    const log = (component: string, lines: number) =>
      section('logs', '-l', `app.kubernetes.io/component=${component}`, '--prefix', `--tail=${lines}`);
    const fleets = this.#client?.json('/v1/fleets').then(
      (fleets) => `--- GET /v1/fleets\n${JSON.stringify(fleets)}`,
      (error: unknown) => `--- GET /v1/fleets: ${String(error)}`,
    );
    const sections = [
      section('get', 'pods', '-o', 'wide'),
      fleets,
      section('get', 'events', '--sort-by=.lastTimestamp'),
      log('fleet', 60),
      log('api', 25),
      log('worker', 15),
    ];
    return (await Promise.all(sections)).join('\n');
  }

  async dispose(): Promise<void> {
    await this.#api?.close();
    await this.#demo?.close();
    await helm(['uninstall', this.name, '-n', this.name, '--ignore-not-found']);
    await kubectl(['delete', 'namespace', this.name, '--wait=false']);
  }
}
