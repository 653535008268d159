import { randomInt } from 'node:crypto';
import {
  CreateError,
  type ScalingAction,
  type FleetDriver,
  type WorkerIssue,
} from '@pilothouse/core/ports/fleet-driver.port';
import type { DecisionRecord, FleetSnapshot, FleetState } from '@pilothouse/core/ports/fleet-state.port';
import type { Context, Log } from '@pilothouse/core/ports/runtime.port';

/** Workers that are created at the same time. */
const MAX_CONCURRENT_CREATES = 8;

/** Maximum number of workers created for one decision. The next tick continues with a new snapshot. */
const MAX_CREATES_PER_DECISION = 200;

/** Generates a readable, unguessable worker name without letters that look alike. */
export function generateWorkerName(fleet: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789';
  return `${fleet}-${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`;
}

export interface DecisionExecutorDeps {
  readonly state: Pick<FleetState, 'markDraining' | 'blockWorker' | 'recordDecision'>;
  readonly driver: Pick<FleetDriver, 'create' | 'stop'>;
  readonly log: Log;
  readonly name?: (fleet: string) => string;
}

/** Result of a decision. */
export interface DecisionOutcome {
  readonly record: DecisionRecord;
  readonly issue: WorkerIssue | null;
  /** True if the worker was not touched: it holds a run or does not exist. */
  readonly isSkipped?: boolean;
}

/** Executes decisions. Errors are in the record, never thrown: the next tick decides again. */
export class DecisionExecutor {
  readonly #options: DecisionExecutorDeps;
  readonly #name: (fleet: string) => string;

  constructor(options: DecisionExecutorDeps) {
    this.#options = options;
    this.#name = options.name ?? generateWorkerName;
  }

  async execute(facts: FleetSnapshot, decision: ScalingAction, context: Context): Promise<DecisionOutcome> {
    const outcome = await this.#act(facts, decision, context).catch((error: unknown) =>
      outcomeOf(facts, decision, [], errorMessage(error)),
    );
    const { record } = outcome;
    this.#log(record);
    await this.#options.state.recordDecision(record, context).catch((error: unknown) => {
      this.#options.log.warn({ fleet: facts.fleet, error: errorMessage(error) }, 'decision not recorded');
    });
    return outcome;
  }

  async #act(facts: FleetSnapshot, decision: ScalingAction, context: Context): Promise<DecisionOutcome> {
    if (decision.action === 'create') return this.#create(facts, decision, context);
    // The store checks again in its transaction: a worker that holds a run is never drained or stopped.
    const worker = { fleet: facts.fleet, name: decision.worker };
    const { state } = this.#options;
    const drainResult = await state.markDraining(worker, decision.reason, context);
    const isStop = decision.action === 'stop';
    const result =
      drainResult === 'unknown' && isStop ? await state.blockWorker(worker, decision.reason, context) : drainResult;
    if (result === 'holds-run') return { ...outcomeOf(facts, decision, [], 'it holds a run'), isSkipped: true };
    if (isStop) await this.#options.driver.stop(decision.worker, context);
    else if (result === 'unknown') return { ...outcomeOf(facts, decision, [], 'it does not exist'), isSkipped: true };
    return outcomeOf(facts, decision, [decision.worker], null);
  }

  async #create(
    facts: FleetSnapshot,
    decision: Extract<ScalingAction, { action: 'create' }>,
    context: Context,
  ): Promise<DecisionOutcome> {
    const { fleet, surface, config } = facts;
    const plan = { fleet, surface, slots: config.slots };
    const workers: string[] = [];
    const errors: unknown[] = [];
    const count = Math.min(decision.count, MAX_CREATES_PER_DECISION);
    // A failed batch is the last one: the cause would fail the others too.
    while (workers.length < count && errors.length === 0 && !context.signal.aborted) {
      const batch = Array.from({ length: Math.min(MAX_CONCURRENT_CREATES, count - workers.length) }, () =>
        this.#name(fleet),
      );
      const results = await Promise.allSettled(
        batch.map(async (name) => {
          await this.#options.driver.create(plan, name, context);
          return name;
        }),
      );
      for (const result of results) {
        if (result.status === 'fulfilled') workers.push(result.value);
        else errors.push(result.reason);
      }
    }
    const [error] = errors;
    if (error === undefined) return outcomeOf(facts, decision, workers, null);
    const message = errorMessage(error);
    // The deadline of the tick passed: this is no condition of the fleet.
    if (context.signal.aborted) return outcomeOf(facts, decision, workers, message);
    const issue: WorkerIssue = { reason: error instanceof CreateError ? error.reason : 'CreateFailed', message };
    return outcomeOf(facts, decision, workers, message, issue);
  }

  #log({ fleet, decision, workers, error }: DecisionRecord): void {
    const { action, reason } = decision;
    const facts = { fleet, action, reason, workers, ...(error !== null && { error }) };
    if (workers.length > 0)
      this.#options.log.info(facts, `fleet ${fleet}: ${action} ${workers.join(', ')} (${reason})`);
    if (error === null) return;
    const line = `fleet ${fleet}: could not ${action}${'worker' in decision ? ` ${decision.worker}` : ''} (${reason}): ${error}`;
    this.#options.log[action === 'drain' ? 'info' : 'warn'](facts, line);
  }
}

export const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

const outcomeOf = (
  { fleet }: FleetSnapshot,
  decision: ScalingAction,
  workers: readonly string[],
  error: string | null,
  issue: WorkerIssue | null = null,
): DecisionOutcome => ({ record: { fleet, decision, workers, error }, issue });
