import { join } from 'node:path';
import { systemClock, type Clock, type FleetDriver, type FleetState, type Log } from '@pilothouse/core';
import { Controller } from './controller.ts';
import { LocalDriver } from './driver/local.driver.ts';
import { FleetHttp } from './http.ts';
import { FleetMetrics } from './metrics.ts';

/** How the controller is set up. */
export interface FleetSettings {
  readonly driver: keyof typeof drivers;
  /** Program and arguments of a worker process. */
  readonly workerCommand: readonly string[];
  /** Data folder; the controller keeps its own things in `fleet/` below it. */
  readonly dataFolder: string;
  readonly gatewayUrl: string;
  /** Fleet tokens by fleet. */
  readonly tokens: ReadonlyMap<string, string>;
  /** What workers may inherit is chosen from this; nothing else of it reaches them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Port of /healthz and /metrics; 0: none. */
  readonly port: number;
  /** How long workers may take to hand back their runs when the controller stops, in milliseconds. */
  readonly stopMs?: number;
}

/** How each kind of driver is opened. */
const drivers = {
  local: (
    { workerCommand, dataFolder, gatewayUrl, tokens, environment }: FleetSettings,
    log: Log,
  ): Promise<FleetDriver> =>
    LocalDriver.open({
      command: workerCommand,
      workFolder: join(dataFolder, 'fleet'),
      gatewayUrl,
      tokens,
      environment,
      log,
    }),
};

/** A controller at work. */
export class FleetApp {
  readonly controller: Controller;
  readonly #driver: FleetDriver;
  readonly #http: FleetHttp | null;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #stopMs: number;
  readonly #log: Log;
  readonly #clock: Clock;

  private constructor(
    controller: Controller,
    driver: FleetDriver,
    http: FleetHttp | null,
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
    this.#running = controller.run(this.#stopping.signal);
  }

  /** Ends what a dead controller left, listens, and begins to look. @throws where the port or the data folder cannot be had */
  static async start(settings: FleetSettings, state: FleetState, log: Log, clock = systemClock): Promise<FleetApp> {
    const metrics = new FleetMetrics();
    const driver = await drivers[settings.driver](settings, log);
    const controller = new Controller({ state, driver, log, metrics, clock });
    const http = settings.port > 0 ? await FleetHttp.listen(settings.port, controller, metrics) : null;
    if (http) log.info({ port: http.port }, `Health and metrics on port ${http.port}`);
    return new FleetApp(controller, driver, http, settings.stopMs ?? 20_000, log, clock);
  }

  /** Stops looking, then has the workers hand back their runs and end. `hurry` kills what is left at once. */
  async stop(hurry: AbortSignal): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    const deadline = this.#clock.monotonic() + this.#stopMs;
    await this.#driver.close({ signal: hurry, deadline, log: this.#log });
    await this.#http?.close();
  }
}
