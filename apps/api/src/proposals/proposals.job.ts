import { Inject, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core';
import { withProposalsLock, ProposalStore, type Pool } from '@pilothouse/infra-db';
import { closeWithin, JOB_STOP_MS } from '../common/shutdown.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';
import { JOB_DEPS, LOG, POOL } from '../common/injection-tokens.ts';
import { isRetryable } from './retryable-errors.ts';
import { RepairProposalsService } from './repair-proposals.service.ts';

/** Milliseconds between two looks at whether there is anything to do. */
const EVERY_MS = 1_000;

/** Milliseconds for one look, with all the work it finds. */
const DEADLINE_MS = 600_000;

/** Looks, in one replica at a time, at runs with healed steps that ended and at proofs that are over. */
export class ProposalsJob implements OnModuleInit, OnModuleDestroy {
  private readonly job: PeriodicJob;
  private isStopping = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ProposalStore) private readonly store: ProposalStore,
    @Inject(RepairProposalsService) private readonly repairs: RepairProposalsService,
    @Inject(LOG) private readonly log: Log,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    this.job = new PeriodicJob(
      { name: 'proposals', everyMs: EVERY_MS, deadlineMs: DEADLINE_MS, run: () => this.look() },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Resolves once the work at hand is done, or takes too long. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await closeWithin('proposals', this.job.stop(), JOB_STOP_MS, this.log);
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
