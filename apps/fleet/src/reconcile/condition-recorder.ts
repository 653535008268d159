import type { DriverWorker, FleetDriver, WorkerIssue } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot, FleetState } from '@pilothouse/core/ports/fleet-state.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { clearedConditions } from '@pilothouse/core/scaling/creation-backoff';
import type { ScalingTuning } from '@pilothouse/core/scaling/scaling-observation';
import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import { errorMessage } from './decision-executor.ts';

/** Milliseconds until an unchanged condition is written again. */
const REFRESH_MS = 5_000;

interface PendingReport {
  message: string;
  times: number;
}

/** An issue of one worker. */
export type WorkerProblem = WorkerIssue & { readonly worker: string };

export interface ConditionRecorderDeps {
  readonly state: Pick<FleetState, 'recordConditions' | 'clearConditions'>;
  readonly driver: Pick<FleetDriver, 'reportIssue'>;
  readonly tuning: ScalingTuning;
}

/** Collects the conditions of fleets during a tick, stores them at its end, and reports them as Kubernetes Events. */
export class ConditionRecorder {
  readonly #options: ConditionRecorderDeps;
  /** Reports to write, by fleet and reason. */
  readonly #pending = new Map<string, Map<ConditionReason, PendingReport>>();
  /** Reported issues: fleet, worker and reason. */
  readonly #reportedKeys = new Set<string>();

  constructor(options: ConditionRecorderDeps) {
    this.#options = options;
  }

  /** Adds a report. @param times number of new occurrences; 0: the condition continues */
  record(fleet: string, { reason, message }: WorkerIssue, times = 1): void {
    const reports = this.#pending.get(fleet) ?? new Map<ConditionReason, PendingReport>();
    this.#pending.set(fleet, reports.set(reason, { message, times: (reports.get(reason)?.times ?? 0) + times }));
    if (times > 0) this.#options.driver.reportIssue?.(fleet, { reason, message });
  }

  /** True if the last tick reported this issue of the worker. */
  wasReported(fleet: string, name: string, reason: ConditionReason): boolean {
    return this.#reportedKeys.has(`${fleet} ${name} ${reason}`);
  }

  /**
   * Records the issues of existing workers.
   * @returns new issues, once for each worker and reason
   */
  newProblems(fleet: string, driverWorkers: readonly DriverWorker[]): WorkerProblem[] {
    const problems: WorkerProblem[] = [];
    const currentKeys = new Set<string>();
    for (const { name, issue } of driverWorkers.filter((worker) => worker.fleet === fleet)) {
      if (!issue) continue;
      const key = `${fleet} ${name} ${issue.reason}`;
      currentKeys.add(key);
      const report = { reason: issue.reason, message: `${name}: ${issue.message}` };
      if (!this.#reportedKeys.has(key)) problems.push({ ...report, worker: name });
      this.record(fleet, report, this.#reportedKeys.has(key) ? 0 : 1);
      this.#reportedKeys.add(key);
    }
    for (const key of this.#reportedKeys)
      if (key.startsWith(`${fleet} `) && !currentKeys.has(key)) this.#reportedKeys.delete(key);
    return problems;
  }

  /** Writes the reports of a fleet and clears ended conditions. Never throws: failed writes are repeated in the next tick. */
  async flush({ fleet, conditions, workers, observedAt }: FleetSnapshot, context: Context): Promise<void> {
    const reports = this.#pending.get(fleet) ?? new Map<ConditionReason, PendingReport>();
    this.#pending.delete(fleet);
    const storedConditions = new Map(conditions.map((condition) => [condition.reason, condition]));
    const reportsToWrite = [...reports].filter(([reason, { times }]) => {
      const storedCondition = storedConditions.get(reason);
      return times > 0 || !storedCondition || observedAt - storedCondition.lastSeenAt >= REFRESH_MS;
    });
    // The tuning says when a condition ends. A condition that this tick reports does not end.
    const endedReasons = clearedConditions(conditions, workers, observedAt, this.#options.tuning);
    const reasonsToClear = [...new Set([...endedReasons, ...this.#endedLosses(fleet, storedConditions)])].filter(
      (reason) => !reports.has(reason),
    );
    try {
      if (reportsToWrite.length > 0) {
        const rows = reportsToWrite.map(([reason, report]) => ({ reason, ...report }));
        await this.#options.state.recordConditions(fleet, rows, context);
      }
      if (reasonsToClear.length > 0)
        await this.#options.state.clearConditions(fleet, reasonsToClear, observedAt, context);
    } catch (error) {
      for (const [reason, { message, times }] of reportsToWrite) this.#restore(fleet, reason, message, times);
      context.log.warn({ fleet, error: errorMessage(error) }, 'fleet conditions not stored');
    }
  }

  /** NodeLost ends with the last pod on a lost node: a replacement does not have to become stable first. */
  #endedLosses(fleet: string, stored: ReadonlyMap<ConditionReason, unknown>): ConditionReason[] {
    const isLost = (key: string) => key.startsWith(`${fleet} `) && key.endsWith(' NodeLost');
    return stored.has('NodeLost') && ![...this.#reportedKeys].some(isLost) ? ['NodeLost'] : [];
  }

  #restore(fleet: string, reason: ConditionReason, message: string, times: number): void {
    const reports = this.#pending.get(fleet) ?? new Map<ConditionReason, PendingReport>();
    this.#pending.set(fleet, reports.set(reason, { message, times }));
  }
}
