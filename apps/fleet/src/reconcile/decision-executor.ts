import { randomInt } from 'node:crypto';
import {
  CreateError,
  type Context,
  type ScalingAction,
  type DecisionRecord,
  type FleetDriver,
  type FleetSnapshot,
  type FleetState,
  type Log,
  type WorkerIssue,
} from '@pilothouse/core';

/** Workers that are made at the same time. */
const atOnce = 8;

/** Workers that are made for one decision at most: the next look goes on from there, with fresh facts. */
const mostAtOnce = 200;

/** Name of a new worker: readable, and not to be guessed. No letters that look alike. */
export function generateWorkerName(fleet: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789';
  return `${fleet}-${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`;
}

export interface DecisionExecutorDeps {
  readonly state: Pick<FleetState, 'markDraining' | 'bar' | 'recordDecision'>;
  readonly driver: Pick<FleetDriver, 'create' | 'stop'>;
  readonly log: Log;
  readonly name?: (fleet: string) => string;
}

/** What became of a decision, and what was in the way by name. */
export interface DecisionOutcome {
  readonly record: DecisionRecord;
  readonly trouble: WorkerIssue | null;
  /** Whether the worker of the decision was left as it is: it has taken a run, or is not there. */
  readonly skipped?: boolean;
}

/** Carries out decisions. What goes wrong is in the record, never thrown: the next observation shows what is still to do. */
export class DecisionExecutor {
  readonly #options: DecisionExecutorDeps;
  readonly #name: (fleet: string) => string;

  constructor(options: DecisionExecutorDeps) {
    this.#options = options;
    this.#name = options.name ?? generateWorkerName;
  }

  /** @returns what was done: on which workers, and what was in the way */
  async execute(facts: FleetSnapshot, decision: ScalingAction, context: Context): Promise<DecisionOutcome> {
    const outcome = await this.#act(facts, decision, context).catch((error: unknown) =>
      outcomeOf(facts, decision, [], errorMessage(error)),
    );
    const { record } = outcome;
    this.#say(record);
    await this.#options.state.recordDecision(record, context).catch((error: unknown) => {
      this.#options.log.warn({ fleet: facts.fleet, error: errorMessage(error) }, 'A decision could not be recorded');
    });
    return outcome;
  }

  async #act(facts: FleetSnapshot, decision: ScalingAction, context: Context): Promise<DecisionOutcome> {
    if (decision.action === 'create') return this.#create(facts, decision, context);
    // Asked again in the store, whatever was observed: a worker that holds a run is neither drained nor ended.
    const worker = { fleet: facts.fleet, name: decision.worker };
    const { state } = this.#options;
    const seen = await state.markDraining(worker, decision.reason, context);
    const isStop = decision.action === 'stop';
    const marked = seen === 'unknown' && isStop ? await state.bar(worker, decision.reason, context) : seen;
    if (marked === 'holds-run') return { ...outcomeOf(facts, decision, [], 'it has taken a run'), skipped: true };
    if (isStop) await this.#options.driver.stop(decision.worker, context);
    else if (marked === 'unknown') return { ...outcomeOf(facts, decision, [], 'it is not there'), skipped: true };
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
    const count = Math.min(decision.count, mostAtOnce);
    // What stops one stops the others too: after a batch with an error none follows.
    while (workers.length < count && errors.length === 0 && !context.signal.aborted) {
      const batch = Array.from({ length: Math.min(atOnce, count - workers.length) }, () => this.#name(fleet));
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
    // The time of the look was over: nothing is wrong with the fleet.
    if (context.signal.aborted) return outcomeOf(facts, decision, workers, message);
    const trouble: WorkerIssue = { reason: error instanceof CreateError ? error.reason : 'CreateFailed', message };
    return outcomeOf(facts, decision, workers, message, trouble);
  }

  #say({ fleet, decision, workers, error }: DecisionRecord): void {
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
  trouble: WorkerIssue | null = null,
): DecisionOutcome => ({ record: { fleet, decision, workers, error }, trouble });
