import { Inject, type OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { ProposalStore, withAdvisoryLock, type Pool } from '@pilothouse/infra-db';
import { JOB_DEPS, LOG, POOL } from '../common/injection-tokens.ts';
import { PeriodicJob, type JobDeps } from '../common/periodic-job.ts';
import { RepairProposalsService } from './repair-proposals.service.ts';

/** Milliseconds between two checks for work. */
const CHECK_INTERVAL_MS = 1_000;

/** Milliseconds for one check with all the work it finds. */
const DEADLINE_MS = 600_000;

/**
 * Processes finished verifications and approved proposals, in one replica at a time. They are no reactions: a verification may end before its
 * proposal is stored, or be deleted, and a proposal may be approved or its workflow restored long after.
 */
export class ProposalsJob implements OnModuleInit {
  private readonly job: PeriodicJob;
  private isStopping = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ProposalStore) private readonly proposals: ProposalStore,
    @Inject(RepairProposalsService) private readonly repairs: RepairProposalsService,
    @Inject(LOG) private readonly log: Log,
    @Inject(JOB_DEPS) deps: JobDeps,
  ) {
    this.job = new PeriodicJob(
      { name: 'proposals', everyMs: CHECK_INTERVAL_MS, deadlineMs: DEADLINE_MS, run: () => this.runIfNeeded() },
      deps,
    );
  }

  onModuleInit(): void {
    this.job.start();
  }

  /** Resolves when the current item is processed. */
  stop(): Promise<void> {
    this.isStopping = true;
    return this.job.stop();
  }

  private async runIfNeeded(): Promise<void> {
    const items = await Promise.all([this.proposals.finishedVerifications(), this.proposals.publishableProposals()]);
    if (items.flat().length > 0) await withAdvisoryLock(this.pool, 'proposals', () => this.processAll());
  }

  /** Processes all items; one that fails stays for the next run and does not hold up the others. */
  private async processAll(): Promise<void> {
    for (const verification of await this.proposals.finishedVerifications())
      await this.process({ proposal: verification.proposal }, () => this.repairs.recordResult(verification));
    for (const publishable of await this.proposals.publishableProposals())
      await this.process({ proposal: publishable.proposal }, () => this.repairs.publish(publishable));
  }

  private async process(item: object, work: () => Promise<void>): Promise<void> {
    if (this.isStopping) return;
    await work().catch((error: unknown) => this.log.warn({ ...item, error: String(error) }, 'repair failed'));
  }
}
