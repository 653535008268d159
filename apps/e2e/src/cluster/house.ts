import { randomBytes } from 'node:crypto';
import { fleetViewSchema, type FleetView } from '@pilothouse/contract';
import { ask, chart, clusterValues, helm, kubectl } from '../chart/tools.fixture.ts';
import { until } from '../harness/until.ts';
import { SteadyClient } from './steady.client.ts';
import { Tunnel } from './tunnel.ts';

const workers = 'app.kubernetes.io/component=worker';
const small = { requests: { cpu: '20m', memory: '128Mi' } };

/** What the demo site wrote down of one request. */
export interface LedgerEntry {
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Values of the chart by their paths. What is given takes the place of what the cluster's own values say there. */
export type Values = Readonly<Record<string, unknown>>;

/** Values of the chart that every house of the suite has: small, with the demo site, gone without a trace. */
const common: Values = {
  keepData: false,
  'tests.enabled': false,
  'demo.enabled': true,
  'api.replicas': 1,
  'api.resources': small,
  'controller.resources': small,
  'fleetDefaults.resources': { requests: { cpu: '50m', memory: '256Mi' }, limits: { memory: '2Gi' } },
};

/** A Pilothouse of a suite's own, in a namespace that enforces Pod Security `restricted`; the release is called like the namespace. */
export class ClusterHouse {
  readonly name = `suite-${randomBytes(4).toString('hex')}`;
  /** URL of the demo site as workers reach it. */
  readonly site = `http://${this.name}-demo:7180`;
  #api: Tunnel | undefined;
  #demo: Tunnel | undefined;
  #client: SteadyClient | undefined;

  static async install(values: Values): Promise<ClusterHouse> {
    const house = new ClusterHouse();
    try {
      await ask('create', 'namespace', house.name);
      await ask('label', 'namespace', house.name, 'pod-security.kubernetes.io/enforce=restricted');
      await house.helm('install', values);
      await house.settled();
      house.#api = await Tunnel.open(house.name, `${house.name}-api`, 7100);
      house.#demo = await Tunnel.open(house.name, `${house.name}-demo`, 7180);
      const key = await house.ask('get', 'secret', `${house.name}-keys`, '-o', 'jsonpath={.data.admin-key}');
      house.#client = new SteadyClient(house.#api, Buffer.from(key, 'base64').toString());
      await house.ledger();
      return house;
    } catch (error) {
      const why = await house.tell();
      await house.end();
      throw new Error(`${String(error)}\n${why}`);
    }
  }

  /** Installs or upgrades; what that starts comes up by and by. */
  async helm(verb: 'install' | 'upgrade', values: Values): Promise<void> {
    const own = Object.entries({ ...common, ...values }).flatMap(([path, value]) => [
      '--set-json',
      `${path}=${JSON.stringify(value)}`,
    ]);
    const args = [verb, this.name, chart, '-n', this.name, ...clusterValues(), ...own];
    const { ok, text } = await helm(args);
    if (!ok) throw new Error(`helm ${verb}: ${text}`);
  }

  /** Waits until all that is no worker has come up. */
  async settled(): Promise<void> {
    for (const part of [
      'statefulset/NAME-postgresql',
      'deployment/NAME-demo',
      'deployment/NAME-api',
      'deployment/NAME-fleet',
    ])
      await this.rolledOut(part.replace('NAME', this.name));
  }

  /** Waits until a part is as it is to be. @throws what `kubectl rollout status` says when it takes longer than three minutes */
  async rolledOut(part: string): Promise<void> {
    const args = ['-n', this.name, 'rollout', 'status', part, '--timeout=180s'];
    const { ok, text } = await kubectl(args, { ms: 190_000 });
    if (!ok) throw new Error(`${part}: ${text}`);
  }

  /** Puts the demo site, whose ledger is in its memory, on a node where nothing is broken. */
  async keepDemoOn(node: string): Promise<void> {
    const template = { spec: { nodeSelector: { 'kubernetes.io/hostname': node } } };
    const deployment = `deployment/${this.name}-demo`;
    await this.ask('patch', deployment, '--patch', JSON.stringify({ spec: { template } }));
    await this.rolledOut(deployment);
  }

  get client(): SteadyClient {
    if (!this.#client) throw new Error('The house is not installed');
    return this.#client;
  }

  /** `kubectl` in the namespace of the house. @throws what it says when it fails */
  ask(...args: string[]): Promise<string> {
    return ask('-n', this.name, ...args);
  }

  async fleet(name = 'browser'): Promise<FleetView> {
    return fleetViewSchema.parse(await this.client.json(`/v1/fleets/${name}`));
  }

  /** Orders that the demo site has written down. */
  async ledger(): Promise<LedgerEntry[]> {
    return await until(
      'the demo site shows its ledger',
      async () => {
        try {
          const signal = AbortSignal.timeout(10_000);
          const response = await fetch(`${this.#demo?.url}/__ledger?kind=order`, { signal });
          return ((await response.json()) as { entries: LedgerEntry[] }).entries;
        } catch {
          this.#demo?.mend();
          return null;
        }
      },
      60_000,
      250,
    );
  }

  /** Names of worker pods, of one fleet or of all. */
  async workers(fleet?: string): Promise<string[]> {
    const select = fleet === undefined ? workers : `${workers},pilothouse.dev/fleet=${fleet}`;
    const names = await this.ask('get', 'pods', '-l', select, '-o', 'jsonpath={.items[*].metadata.name}');
    return names.split(' ').filter(Boolean);
  }

  /** Names of the pods of a component. */
  async pods(component: string): Promise<string[]> {
    const select = `app.kubernetes.io/component=${component}`;
    const names = await this.ask('get', 'pods', '-l', select, '-o', 'jsonpath={.items[*].metadata.name}');
    return names.split(' ').filter(Boolean);
  }

  /** Does something in this house; when it fails, says what the cluster knows about it. */
  async told<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw new Error(
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n${await this.tell()}`,
      );
    }
  }

  /** Pods, events, the last words of the controller, the API and the workers. */
  async tell(): Promise<string> {
    const say = async (...args: string[]) =>
      `--- kubectl ${args.join(' ')}\n${(await kubectl(['-n', this.name, ...args])).text}`;
    const log = (component: string, lines: number) =>
      say('logs', '-l', `app.kubernetes.io/component=${component}`, '--prefix', `--tail=${lines}`);
    const parts = [
      say('get', 'pods', '-o', 'wide'),
      say('get', 'events', '--sort-by=.lastTimestamp'),
      log('fleet', 60),
      log('api', 25),
      log('worker', 15),
    ];
    return (await Promise.all(parts)).join('\n');
  }

  async end(): Promise<void> {
    await this.#api?.close();
    await this.#demo?.close();
    await helm(['uninstall', this.name, '-n', this.name, '--ignore-not-found']);
    await kubectl(['delete', 'namespace', this.name, '--wait=false']);
  }
}
