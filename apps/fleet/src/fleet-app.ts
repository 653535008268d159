import { join } from 'node:path';
import type { FleetDriver } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetState, FleetWorkerRef, LeaderElection } from '@pilothouse/core/ports/fleet-state.port';
import { systemClock, type Clock, type Log } from '@pilothouse/core/ports/runtime.port';
import { defaultTuning, type ScalingTuning } from '@pilothouse/core/scaling/scaling-observation';
import { KubeClient } from '@pilothouse/infra-kube';
import { FleetController } from './reconcile/fleet-controller.ts';
import type { JoinTokens } from './driver/join-tokens.ts';
import { KubernetesDriver } from './driver/kubernetes/kubernetes.driver.ts';
import { LocalDriver } from './driver/local/local.driver.ts';
import { FleetHealthServer } from './health-server.ts';
import { FleetMetrics } from './fleet.metrics.ts';

/** Workers as child processes. */
export interface LocalFleetSettings {
  readonly driver: 'local';
  /** Program and arguments of a worker process. */
  readonly workerCommand: readonly string[];
  /** Data folder. The controller uses its subfolder `fleet/`. */
  readonly dataFolder: string;
  readonly gatewayUrl: string;
  /** Environment of the controller. Workers inherit only allowed variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Workers as pods. */
export interface KubernetesFleetSettings {
  readonly driver: 'kubernetes';
  readonly namespace: string;
  /** Name of the Lease that owns the pods and elects the leader. */
  readonly leaderLeaseName: string;
  /** Name of this controller's pod. */
  readonly identity: string;
  /** Folder with a pod template for each fleet. */
  readonly podTemplateDir: string;
  /** Path of a kubeconfig; missing: the service account of the pod. */
  readonly kubeconfig?: string;
}

/** Settings of the controller process. */
export type FleetSettings = (LocalFleetSettings | KubernetesFleetSettings) & {
  /** Port of /healthz and /metrics; 0: none. */
  readonly port: number;
  /** Listen address for health and metrics. Default: loopback. */
  readonly host?: string;
  /** Milliseconds that workers have to hand back their runs when the controller stops. */
  readonly stopMs?: number;
};

/** Stores of the controller. */
export interface FleetStores {
  readonly state: FleetState;
  readonly joinTokens: JoinTokens;
}

/** A driver with its leader election and tuning. */
interface OpenedDriver {
  readonly driver: FleetDriver;
  /** Default: the store. */
  readonly leader?: LeaderElection;
  readonly tuning?: ScalingTuning;
}

/** The start of a pod may include a new node and an image pull. */
const podTuning: ScalingTuning = { ...defaultTuning, startDeadlineMs: 600_000 };

async function openDriver(
  settings: FleetSettings,
  joinTokens: JoinTokens,
  metrics: FleetMetrics,
  log: Log,
  clock: Clock,
): Promise<OpenedDriver> {
  if (settings.driver === 'kubernetes') {
    const { kubeconfig, leaderLeaseName: lease, podTemplateDir: templates, ...rest } = settings;
    const connection = await KubeClient.open(kubeconfig, (verb) => metrics.onKubeRequest(verb));
    const driver = new KubernetesDriver({ ...rest, lease, templates, connection, joinTokens, log, clock });
    return { driver, leader: driver, tuning: podTuning };
  }
  const { workerCommand, dataFolder, gatewayUrl, environment } = settings;
  const workFolder = join(dataFolder, 'fleet');
  const driver = await LocalDriver.open({
    command: workerCommand,
    workFolder,
    gatewayUrl,
    joinTokens,
    environment,
    log,
  });
  return { driver };
}

/** A running controller with its driver and health server. */
export class FleetApp {
  readonly controller: FleetController;
  readonly #driver: FleetDriver;
  readonly #http: FleetHealthServer | null;
  readonly #stopping = new AbortController();
  /** Writes in progress. */
  readonly #endingJoins = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  readonly #stopMs: number;
  readonly #log: Log;
  readonly #clock: Clock;

  private constructor(
    controller: FleetController,
    driver: FleetDriver,
    joinTokens: JoinTokens,
    http: FleetHealthServer | null,
    stopMs: number,
    log: Log,
    clock: Clock,
  ) {
    this.controller = controller;
    this.#driver = driver;
    this.#http = http;
    this.#stopMs = stopMs;
    this.#log = log;
    this.#clock = clock;
    driver.onExit(({ fleet, name }) => this.#endJoin(joinTokens, { fleet, name }));
    this.#running = controller.run(this.#stopping.signal);
  }

  /** Stops workers of a dead controller, listens, and starts the loop. @throws if the port or the data folder is not available */
  static async start(
    settings: FleetSettings,
    { state, joinTokens }: FleetStores,
    log: Log,
    clock = systemClock,
  ): Promise<FleetApp> {
    const metrics = new FleetMetrics();
    const openedDriver = await openDriver(settings, joinTokens, metrics, log, clock);
    const { driver } = openedDriver;
    const controller = new FleetController({ ...openedDriver, state, log, metrics, clock });
    const http =
      settings.port > 0 ? await FleetHealthServer.listen(settings.port, controller, metrics, settings.host) : null;
    if (http) log.info({ port: http.port }, 'health and metrics started');
    return new FleetApp(controller, driver, joinTokens, http, settings.stopMs ?? 20_000, log, clock);
  }

  /** Stops the loop. Local workers hand back their runs and exit. `forceStop` kills the remaining ones at once. */
  async stop(forceStop: AbortSignal): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const deadline = this.#clock.monotonic() + this.#stopMs;
    await this.#driver.close({ signal: forceStop, deadline, log: this.#log });
    await Promise.all(this.#endingJoins);
    await this.#http?.close();
  }

  /** The token of an ended worker is worthless. A failed write is repeated by the pruning of joins. */
  #endJoin(joinTokens: JoinTokens, worker: FleetWorkerRef): void {
    const ending = joinTokens
      .end(worker)
      .catch((error: unknown) =>
        this.#log.warn({ worker: worker.name, error: String(error) }, 'session key of an ended worker not invalidated'),
      )
      .finally(() => this.#endingJoins.delete(ending));
    this.#endingJoins.add(ending);
  }
}
