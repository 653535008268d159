import { Inject, type OnModuleInit } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { runReactionSchema, type RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { MAX_REACTION_ATTEMPTS, reactionRetryMs } from '@pilothouse/core/run/run-reactions';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import type { ScheduledTask } from '@pilothouse/core/time/task-scheduler';
import type { Timers } from '@pilothouse/core/time/timers';
import { RunReactionStore, type ClaimedReaction } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { LOG, METRICS, REACTION_HANDLERS, SCHEDULER } from '../common/injection-tokens.ts';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';
import { isRetryable } from '../http/http-problem.ts';
import type { ReactionHandlers } from './reaction-handlers.ts';
import { declareReactions, type ReactionOutcome } from './reaction.metrics.ts';

/** Milliseconds between two checks for due reactions. */
const CHECK_INTERVAL_MS = 1_000;

/** Milliseconds for one check, without the reactions that it starts. */
const CHECK_DEADLINE_MS = 30_000;

/** Reactions that are claimed by one check. */
const BATCH = 100;

/** Milliseconds after which a reaction is due again when its executor has stopped. */
const LEASE_MS = 20_000;
const RENEW_INTERVAL_MS = LEASE_MS / 4;

/** Milliseconds for one attempt. */
const ATTEMPT_DEADLINE_MS = 120_000;

const attemptTimeout = () =>
  new PilothouseError('UNAVAILABLE', `The reaction did not end within ${ATTEMPT_DEADLINE_MS / 1_000} s`);

/**
 * Executes the reactions of ended runs. Every replica does so; the database gives a reaction to one of them at a time. Reactions
 * of one kind run one after another and those of different kinds side by side, so that a slow kind delays no other.
 */
export class ReactionExecutor implements OnModuleInit {
  private task: ScheduledTask | undefined;
  private readonly timers: Timers;
  private readonly count: (reaction: RunReaction, outcome: ReactionOutcome) => void;
  /** Claimed reactions whose attempt has not ended. */
  private readonly held = new Set<ClaimedReaction>();
  private readonly batches = new Map<RunReaction, Promise<void>>();
  private renewAtMs = 0;
  private isStopping = false;

  constructor(
    @Inject(RunReactionStore) private readonly store: RunReactionStore,
    @Inject(REACTION_HANDLERS) private readonly handlers: ReactionHandlers,
    @Inject(METRICS) metrics: Pick<Metrics, 'counter'>,
    @Inject(LOG) private readonly log: Log,
    @Inject(SCHEDULER) private readonly scheduler: ReplicaScheduler,
  ) {
    this.timers = scheduler.timers;
    const counter = declareReactions(metrics);
    this.count = (reaction, outcome) => counter.inc({ reaction, outcome });
  }

  onModuleInit(): void {
    this.task = this.scheduler.start({
      ...{ name: 'run-reactions', everyMs: CHECK_INTERVAL_MS, deadlineMs: CHECK_DEADLINE_MS },
      run: () => this.check(),
    });
  }

  /** Resolves when current attempts have ended. Another replica executes the other claimed reactions. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.task?.stop();
    await Promise.all(this.batches.values());
  }

  /** Renews the leases of held reactions, and starts due reactions of the kinds that are idle. */
  private async check(): Promise<void> {
    const now = this.timers.monotonic();
    if (this.held.size > 0 && now >= this.renewAtMs) {
      this.renewAtMs = now + RENEW_INTERVAL_MS;
      await this.store.postpone([...this.held], LEASE_MS);
    }
    const idle = runReactionSchema.options.filter((reaction) => !this.batches.has(reaction));
    if (idle.length === 0) return;
    const claimed = await this.store.claim(idle, { limit: BATCH, leaseMs: LEASE_MS });
    for (const [reaction, batch] of Map.groupBy(claimed, ({ reaction }) => reaction)) {
      for (const item of batch) this.held.add(item);
      this.batches.set(
        reaction,
        this.executeBatch(batch).finally(() => this.batches.delete(reaction)),
      );
    }
  }

  /** Never rejects. */
  private async executeBatch(batch: readonly ClaimedReaction[]): Promise<void> {
    for (const [index, claimed] of batch.entries()) {
      if (this.isStopping) return this.giveBack(batch.slice(index));
      await this.execute(claimed);
      this.held.delete(claimed);
    }
  }

  /** Never rejects: a reaction whose end is not stored is due again after its lease. */
  private async execute(claimed: ClaimedReaction): Promise<void> {
    const { run, reaction, attempts } = claimed;
    try {
      if (attempts > MAX_REACTION_ATTEMPTS) throw new Error('The process stopped in the last attempt');
      const isLastAttempt = reactionRetryMs(attempts) === null;
      await withDeadline(
        ATTEMPT_DEADLINE_MS,
        new AbortController().signal,
        () => this.handlers[reaction].execute({ run, isLastAttempt }),
        { timers: this.timers, error: attemptTimeout },
      );
      await this.store.end(claimed);
      this.count(reaction, 'done');
    } catch (error) {
      await this.onFailure(claimed, error).catch((storeError: unknown) =>
        this.log.warn({ run, reaction, error: String(storeError) }, 'end of reaction not stored'),
      );
    }
  }

  private async onFailure(claimed: ClaimedReaction, error: unknown): Promise<void> {
    const { run, reaction, attempts } = claimed;
    const facts = { run, reaction, attempts, error: String(error) };
    const retryMs = isRetryable(error) ? reactionRetryMs(attempts) : null;
    if (retryMs === null) {
      this.log.error(facts, 'reaction abandoned');
      await this.store.end(claimed);
    } else {
      this.log.warn({ ...facts, retryMs }, 'reaction failed, next attempt after its delay');
      await this.store.postpone([claimed], retryMs);
    }
    this.count(reaction, retryMs === null ? 'abandoned' : 'retried');
  }

  /** Makes reactions due at once. */
  private async giveBack(batch: readonly ClaimedReaction[]): Promise<void> {
    for (const claimed of batch) this.held.delete(claimed);
    await this.store.postpone(batch, 0).catch((error: unknown) => {
      this.log.warn({ error: String(error) }, 'reactions not given back, due again after their lease');
    });
  }
}
