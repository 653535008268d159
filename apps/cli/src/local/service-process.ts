import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { ChildExit, ProcessIdentity } from '@pilothouse/infra-embedded';

export interface RunningService {
  identity: ProcessIdentity;
  exited: Promise<ChildExit>;
  stop(): Promise<ChildExit>;
}

/** Starts a service and resolves when it is ready. @throws Error with the reason if the start fails */
export type StartService = (signal: AbortSignal) => Promise<RunningService>;

export interface ServiceOptions {
  name: string;
  start: StartService;
  /** Called at every start, to record the process. */
  onStart: (name: string, identity: ProcessIdentity) => void;
  printLine: (line: string) => void;
  backoff?: { firstMs: number; maxMs: number; stableMs: number };
  timers?: Timers;
}

/**
 * A child process of the installation. After its first start it is restarted whenever it exits, with a backoff that
 * doubles up to a limit and resets after a stable period.
 */
export class ServiceProcess {
  readonly #options: ServiceOptions;
  readonly #stopping = new AbortController();
  #running: RunningService | undefined;
  #first: Promise<void> | undefined;
  #watch: Promise<void> | undefined;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** Starts the service for the first time. @throws the error of `start` */
  async start(): Promise<void> {
    this.#first = this.#launch();
    await this.#first;
    this.#watch = this.#restartLoop();
  }

  /** Stops the service for good. Resolves when it has exited. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.stop();
    // #launch stops a process that becomes ready meanwhile.
    await this.#first?.catch(() => undefined);
    await this.#watch;
  }

  /** The process while it runs. */
  get identity(): ProcessIdentity | undefined {
    return this.#running?.identity;
  }

  async #launch(): Promise<void> {
    const running = await this.#options.start(this.#stopping.signal);
    if (this.#stopping.signal.aborted) {
      await running.stop();
      throw new Error('Stopped during start.');
    }
    this.#running = running;
    this.#options.onStart(this.#options.name, running.identity);
  }

  async #restartLoop(): Promise<void> {
    const {
      name,
      printLine,
      timers = systemTimers,
      backoff = { firstMs: 500, maxMs: 30_000, stableMs: 60_000 },
    } = this.#options;
    let wait = backoff.firstMs;
    while (this.#running) {
      const since = timers.monotonic();
      const exit = await this.#running.exited;
      this.#running = undefined;
      if (this.#stopping.signal.aborted) return;
      if (timers.monotonic() - since > backoff.stableMs) wait = backoff.firstMs;
      printLine(`${name} exited (${exitText(exit)}); restarting in ${wait / 1000} s`);
      while (!this.#running) {
        try {
          await timers.delay(wait, this.#stopping.signal);
          wait = Math.min(wait * 2, backoff.maxMs);
          await this.#launch();
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
          printLine(`${name} restart failed (${reason}); retrying in ${wait / 1000} s`);
        }
      }
      if (!this.#stopping.signal.aborted) printLine(`${name} restarted`);
    }
  }
}

const exitText = ({ code, signal }: ChildExit) => signal ?? `exit code ${code}`;
