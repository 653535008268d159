import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core';
import { withProposalsLock, ProposalStore, type Pool } from '@pilothouse/infra-db';
import { closeWithin, JOB_STOP_MS } from '../common/shutdown.ts';
import { LOG, POOL } from '../common/injection-tokens.ts';
import { isRetryable } from './retryable-errors.ts';
import { RepairProposalsService } from './repair-proposals.service.ts';

/** Milliseconds between two looks at whether there is anything to do. */
const EVERY_MS = 1_000;

/** Looks, in one replica at a time, at runs with healed steps that ended and at proofs that are over. */
export class ProposalsJob implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private isStopping = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ProposalStore) private readonly store: ProposalStore,
    @Inject(RepairProposalsService) private readonly repairs: RepairProposalsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.next();
  }

  /** Resolves once the work at hand is done, or takes too long. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await closeWithin('proposals', this.working, JOB_STOP_MS, this.log);
  }

  private next(): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => {
      this.working = this.look()
        .catch((error: unknown) => {
          this.log.warn({ error: String(error) }, 'Proposals could not be looked at; it is tried again soon');
        })
        .then(() => this.next());
    }, EVERY_MS);
  }

  private async look(): Promise<void> {
    const { store } = this;
    const found = await Promise.all([store.healedRuns(), store.finishedVerifications(), store.publishableProposals()]);
    if (found.flat().length > 0) await withProposalsLock(this.pool, () => this.work());
  }

  /** What one of them fails at does not hold up the others; it comes again. */
  private async work(): Promise<void> {
    for (const { run, status, isOld } of await this.store.healedRuns())
      await this.surely({ run }, async () => {
        if (status === 'completed') await this.proposed(run, isOld);
        await this.store.forgetHealed(run);
      });
    for (const over of await this.store.finishedVerifications())
      await this.surely({ proposal: over.proposal }, () => this.repairs.recordVerdict(over));
    for (const due of await this.store.publishableProposals())
      await this.surely({ proposal: due.proposal }, () => this.repairs.publish(due));
  }

  /** What is refused once is refused again: only what passes by itself is tried once more, and not for ever. */
  private async proposed(run: string, isOld: boolean): Promise<void> {
    try {
      await this.repairs.propose(run, isOld);
    } catch (thrown) {
      if (isRetryable(thrown) && !isOld) throw thrown;
      this.log.warn({ run, error: String(thrown) }, 'What healed a run is not proposed');
    }
  }

  private async surely(what: object, work: () => Promise<void>): Promise<void> {
    if (this.isStopping) return;
    await work().catch((error: unknown) => this.log.warn({ ...what, error: String(error) }, 'A repair failed'));
  }
}
