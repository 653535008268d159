import { Inject, type OnModuleInit } from '@nestjs/common';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { ScheduledTask } from '@pilothouse/core/time/task-scheduler';
import { ProposalStore, runAsLeader, type Pool } from '@pilothouse/infra-db';
import { SCHEDULER, LOG, POOL } from '../common/injection-tokens.ts';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';
import { RepairProposalsService } from './repair-proposals.service.ts';

/** Milliseconds between two checks for work. */
const CHECK_INTERVAL_MS = 1_000;

/** Milliseconds for one check with all the work it finds. */
const DEADLINE_MS = 600_000;

/**
 * Processes finished verifications and approved proposals, in one replica at a time. They are no reactions: a verification may end before its
 * proposal is stored, or be deleted, and a proposal may be approved or its workflow restored long after.
 */
export class ProposalsTask implements OnModuleInit {
  private task: ScheduledTask | undefined;
  private isStopping = false;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ProposalStore) private readonly proposals: ProposalStore,
    @Inject(RepairProposalsService) private readonly repairs: RepairProposalsService,
    @Inject(LOG) private readonly log: Log,
    @Inject(SCHEDULER) private readonly scheduler: ReplicaScheduler,
  ) {}

  onModuleInit(): void {
    const run = () => this.runIfNeeded();
    this.task = this.scheduler.start({ name: 'proposals', everyMs: CHECK_INTERVAL_MS, deadlineMs: DEADLINE_MS, run });
  }

  /** Resolves when the current item is processed. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.task?.stop();
  }

  private async runIfNeeded(): Promise<void> {
    const items = await Promise.all([this.proposals.finishedVerifications(), this.proposals.publishableProposals()]);
    if (items.flat().length > 0) await runAsLeader(this.pool, 'proposals', () => this.processAll());
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
