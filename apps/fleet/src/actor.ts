import { randomInt } from 'node:crypto';
import {
  CreateError,
  type Context,
  type Decision,
  type DecisionRecord,
  type FleetDriver,
  type FleetFacts,
  type FleetState,
  type Log,
  type Trouble,
} from '@pilothouse/core';

/** Workers that are made at the same time. */
const atOnce = 8;

/** Workers that are made for one decision at most: the next look goes on from there, with fresh facts. */
const mostAtOnce = 200;

/** Name of a new worker: readable, and not to be guessed. No letters that look alike. */
export function workerName(fleet: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789';
  return `${fleet}-${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`;
}

export interface ActorOptions {
  readonly state: Pick<FleetState, 'markDraining' | 'bar' | 'recordDecision'>;
  readonly driver: Pick<FleetDriver, 'create' | 'stop'>;
  readonly log: Log;
  readonly name?: (fleet: string) => string;
}

/** What became of a decision, and what was in the way by name. */
export interface Outcome {
  readonly record: DecisionRecord;
  readonly trouble: Trouble | null;
  /** Whether the worker of the decision was left as it is: it has taken a run, or is not there. */
  readonly spared?: boolean;
}

/** Carries out decisions. What goes wrong is in the record, never thrown: the next observation shows what is still to do. */
export class Actor {
  readonly #options: ActorOptions;
  readonly #name: (fleet: string) => string;

  constructor(options: ActorOptions) {
    this.#options = options;
    this.#name = options.name ?? workerName;
  }

  /** @returns what was done: on which workers, and what was in the way */
  async carryOut(facts: FleetFacts, decision: Decision, context: Context): Promise<Outcome> {
    const outcome = await this.#act(facts, decision, context).catch((error: unknown) =>
      outcomeOf(facts, decision, [], messageOf(error)),
    );
    const { record } = outcome;
    this.#say(record);
    await this.#options.state.recordDecision(record, context).catch((error: unknown) => {
      this.#options.log.warn({ fleet: facts.fleet, error: messageOf(error) }, 'A decision could not be recorded');
    });
    return outcome;
  }

  async #act(facts: FleetFacts, decision: Decision, context: Context): Promise<Outcome> {
    if (decision.action === 'create') return this.#create(facts, decision, context);
    // Asked again in the store, whatever was observed: a worker that holds a run is neither drained nor ended.
    const worker = { fleet: facts.fleet, name: decision.worker };
    const { state } = this.#options;
    const seen = await state.markDraining(worker, decision.reason, context);
    const isStop = decision.action === 'stop';
    const marked = seen === 'unknown' && isStop ? await state.bar(worker, decision.reason, context) : seen;
    if (marked === 'holds-run') return { ...outcomeOf(facts, decision, [], 'it has taken a run'), spared: true };
    if (isStop) await this.#options.driver.stop(decision.worker, context);
    else if (marked === 'unknown') return { ...outcomeOf(facts, decision, [], 'it is not there'), spared: true };
    return outcomeOf(facts, decision, [decision.worker], null);
  }

  async #create(
    facts: FleetFacts,
    decision: Extract<Decision, { action: 'create' }>,
    context: Context,
  ): Promise<Outcome> {
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
    const message = messageOf(error);
    // The time of the look was over: nothing is wrong with the fleet.
    if (context.signal.aborted) return outcomeOf(facts, decision, workers, message);
    const trouble: Trouble = { reason: error instanceof CreateError ? error.reason : 'CreateFailed', message };
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

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const outcomeOf = (
  { fleet }: FleetFacts,
  decision: Decision,
  workers: readonly string[],
  error: string | null,
  trouble: Trouble | null = null,
): Outcome => ({ record: { fleet, decision, workers, error }, trouble });
