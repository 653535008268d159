import {
  clearedConditions,
  type Context,
  type DriverWorker,
  type FleetDriver,
  type FleetSnapshot,
  type FleetState,
  type ScalingTuning,
  type WorkerIssue,
} from '@pilothouse/core';
import type { ConditionReason } from '@pilothouse/contract';
import { errorMessage } from './decision-executor.ts';

/** What is still so is written down again after so long, in milliseconds. */
const REFRESH_MS = 5_000;

interface Note {
  message: string;
  times: number;
}

/** What is wrong with a worker. */
export type WorkerProblem = WorkerIssue & { readonly worker: string };

export interface ConditionRecorderDeps {
  readonly state: Pick<FleetState, 'noteConditions' | 'liftConditions'>;
  readonly driver: Pick<FleetDriver, 'tell'>;
  readonly tuning: ScalingTuning;
}

/** What is wrong with fleets: collected during a look, kept in the store at its end, and told to the people of the cluster. */
export class ConditionRecorder {
  readonly #options: ConditionRecorderDeps;
  /** To be written, by fleet and reason. */
  readonly #notes = new Map<string, Map<ConditionReason, Note>>();
  /** Which trouble of which worker was noted before. */
  readonly #known = new Set<string>();

  constructor(options: ConditionRecorderDeps) {
    this.#options = options;
  }

  /** Notes that something went wrong. */
  record(fleet: string, { reason, message }: WorkerIssue, times = 1): void {
    const notes = this.#notes.get(fleet) ?? new Map<ConditionReason, Note>();
    this.#notes.set(fleet, notes.set(reason, { message, times: (notes.get(reason)?.times ?? 0) + times }));
    if (times > 0) this.#options.driver.tell?.(fleet, { reason, message });
  }

  /** Whether this was wrong with a worker when it was last looked at. */
  isKnown(fleet: string, name: string, reason: ConditionReason): boolean {
    return this.#known.has(`${fleet} ${name} ${reason}`);
  }

  /**
   * Notes what is wrong with workers that exist.
   * @returns what was not so before, once for each worker and reason
   */
  newProblems(fleet: string, made: readonly DriverWorker[]): WorkerProblem[] {
    const fresh: WorkerProblem[] = [];
    const standing = new Set<string>();
    for (const { name, trouble } of made.filter((worker) => worker.fleet === fleet)) {
      if (!trouble) continue;
      const key = `${fleet} ${name} ${trouble.reason}`;
      standing.add(key);
      const told = { reason: trouble.reason, message: `${name}: ${trouble.message}` };
      if (!this.#known.has(key)) fresh.push({ ...told, worker: name });
      this.record(fleet, told, this.#known.has(key) ? 0 : 1);
      this.#known.add(key);
    }
    for (const key of this.#known) if (key.startsWith(`${fleet} `) && !standing.has(key)) this.#known.delete(key);
    return fresh;
  }

  /** Writes down what was noted of a fleet, and forgets what is over. Never throws: what was not written is tried again. */
  async flush({ fleet, conditions, workers, observedAt }: FleetSnapshot, context: Context): Promise<void> {
    const notes = this.#notes.get(fleet) ?? new Map<ConditionReason, Note>();
    this.#notes.delete(fleet);
    const kept = new Map(conditions.map((condition) => [condition.reason, condition]));
    const due = [...notes].filter(([reason, { times }]) => {
      const before = kept.get(reason);
      return times > 0 || !before || observedAt - before.lastSeenAt >= REFRESH_MS;
    });
    const over = clearedConditions(conditions, workers, observedAt, this.#options.tuning).filter(
      (reason) => !notes.has(reason),
    );
    try {
      if (due.length > 0) {
        const write = due.map(([reason, note]) => ({ reason, ...note }));
        await this.#options.state.noteConditions(fleet, write, context);
      }
      if (over.length > 0) await this.#options.state.liftConditions(fleet, over, observedAt, context);
    } catch (error) {
      for (const [reason, { message, times }] of due) this.#restore(fleet, reason, message, times);
      context.log.warn({ fleet, error: errorMessage(error) }, 'What is wrong with a fleet could not be kept');
    }
  }

  #restore(fleet: string, reason: ConditionReason, message: string, times: number): void {
    const notes = this.#notes.get(fleet) ?? new Map<ConditionReason, Note>();
    this.#notes.set(fleet, notes.set(reason, { message, times }));
  }
}
