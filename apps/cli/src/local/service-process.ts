import { systemTimers, type Timers } from '@pilothouse/core';
import type { ChildExit, ProcessIdentity } from '@pilothouse/infra-embedded';

/** A part that runs now. */
export interface Running {
  mark: ProcessIdentity;
  exited: Promise<ChildExit>;
  stop(): Promise<ChildExit>;
}

/** How to start a part: answers when it is ready, throws a sentence when it does not come up. */
export type StartPart = (signal: AbortSignal) => Promise<Running>;

export interface PartOptions {
  name: string;
  start: StartPart;
  /** Told at every start, for the record of what runs. */
  started: (name: string, mark: ProcessIdentity) => void;
  /** One line for people. */
  say: (line: string) => void;
  backoff?: { firstMs: number; mostMs: number; calmMs: number };
  timers?: Timers;
}

/**
 * One child of the installation. After its first start it is started again whenever it ends by itself, after a pause that doubles up to a limit
 * and begins anew when it ran calmly.
 */
export class Part {
  readonly #options: PartOptions;
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #first: Promise<void> | undefined;
  #watch: Promise<void> | undefined;

  constructor(options: PartOptions) {
    this.#options = options;
  }

  /** The first start. Throws what `start` throws. */
  async start(): Promise<void> {
    this.#first = this.#begin();
    await this.#first;
    this.#watch = this.#keep();
  }

  /** Ends it and does not start it again. Settles when it is gone. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.stop();
    // A process that comes up meanwhile is ended by #begin.
    await this.#first?.catch(() => undefined);
    await this.#watch;
  }

  /** The process, while it runs. */
  get mark(): ProcessIdentity | undefined {
    return this.#running?.mark;
  }

  async #begin(): Promise<void> {
    const running = await this.#options.start(this.#stopping.signal);
    if (this.#stopping.signal.aborted) {
      await running.stop();
      throw new Error('Stopped during start.');
    }
    this.#running = running;
    this.#options.started(this.#options.name, running.mark);
  }

  async #keep(): Promise<void> {
    const {
      name,
      say,
      timers = systemTimers,
      backoff = { firstMs: 500, mostMs: 30_000, calmMs: 60_000 },
    } = this.#options;
    let wait = backoff.firstMs;
    while (this.#running) {
      const since = timers.monotonic();
      const exit = await this.#running.exited;
      this.#running = undefined;
      if (this.#stopping.signal.aborted) return;
      if (timers.monotonic() - since > backoff.calmMs) wait = backoff.firstMs;
      say(`${name} exited (${exitText(exit)}); restarting in ${wait / 1000} s`);
      while (!this.#running) {
        try {
          await timers.delay(wait, this.#stopping.signal);
          wait = Math.min(wait * 2, backoff.mostMs);
          await this.#begin();
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
          say(`${name} restart failed (${reason}); retrying in ${wait / 1000} s`);
        }
      }
      if (!this.#stopping.signal.aborted) say(`${name} restarted`);
    }
  }
}

const exitText = ({ code, signal }: ChildExit) => signal ?? `exit code ${code}`;
