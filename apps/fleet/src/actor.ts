import { randomInt } from 'node:crypto';
import type { Context, Decision, DecisionRecord, FleetDriver, FleetFacts, FleetState, Log } from '@pilothouse/core';

/** Workers that are made at the same time. */
const atOnce = 8;

/** Name of a new worker: readable, and not to be guessed. No letters that look alike. */
export function workerName(fleet: string): string {
  const letters = 'abcdefghjkmnpqrstvwxyz23456789';
  return `${fleet}-${Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('')}`;
}

export interface ActorOptions {
  readonly state: Pick<FleetState, 'markDraining' | 'recordDecision'>;
  readonly driver: Pick<FleetDriver, 'create' | 'stop'>;
  readonly log: Log;
  readonly name?: (fleet: string) => string;
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
  async carryOut(facts: FleetFacts, decision: Decision, context: Context): Promise<DecisionRecord> {
    const record = await this.#act(facts, decision, context).catch((error: unknown): DecisionRecord => ({
      fleet: facts.fleet,
      decision,
      workers: [],
      error: messageOf(error),
    }));
    this.#say(record);
    await this.#options.state.recordDecision(record, context).catch((error: unknown) => {
      this.#options.log.warn({ fleet: facts.fleet, error: messageOf(error) }, 'A decision could not be recorded');
    });
    return record;
  }

  async #act(facts: FleetFacts, decision: Decision, context: Context): Promise<DecisionRecord> {
    const { fleet, workers } = facts;
    if (decision.action === 'create') return this.#create(facts, decision, context);
    if (decision.action === 'drain') {
      const id = workers.find(({ name }) => name === decision.worker)?.id;
      const done = id !== undefined && (await this.#options.state.markDraining(id, decision.reason, context));
      return { fleet, decision, workers: done ? [decision.worker] : [], error: done ? null : 'it has taken a run' };
    }
    await this.#options.driver.stop(decision.worker, context);
    return { fleet, decision, workers: [decision.worker], error: null };
  }

  async #create(
    { fleet, surface, config }: FleetFacts,
    decision: Extract<Decision, { action: 'create' }>,
    context: Context,
  ): Promise<DecisionRecord> {
    const plan = { fleet, surface, slots: config.slots };
    const workers: string[] = [];
    const errors: string[] = [];
    // What stops one stops the others too: after a batch with an error none follows.
    while (workers.length < decision.count && errors.length === 0 && !context.signal.aborted) {
      const batch = Array.from({ length: Math.min(atOnce, decision.count - workers.length) }, () => this.#name(fleet));
      const results = await Promise.allSettled(
        batch.map(async (name) => {
          await this.#options.driver.create(plan, name, context);
          return name;
        }),
      );
      for (const result of results) {
        if (result.status === 'fulfilled') workers.push(result.value);
        else errors.push(messageOf(result.reason));
      }
    }
    return { fleet, decision, workers, error: errors[0] ?? null };
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
