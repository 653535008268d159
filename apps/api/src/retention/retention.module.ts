import { Module } from '@nestjs/common';
import { JobStore } from '@pilothouse/infra-db';
import { APP_CONTEXT } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { resealProjectSecrets } from '../sealing/project-secrets.ts';
import { RetentionCleaner } from './retention-cleaner.ts';
import { RetentionTask } from './retention.task.ts';
import { RetentionService } from './retention.service.ts';
import { RetentionController } from './retention.controller.ts';

/** Milliseconds between two checks whether a cleanup is due. */
const CHECK_INTERVAL_MS = 60_000;

/** Milliseconds between two cleanups, over all replicas. */
const CLEANUP_INTERVAL_MS = 3_600_000;

/** Milliseconds for one cleanup. */
const CLEANUP_DEADLINE_MS = 600_000;

const createRetentionTask = ({ pool, stores, config, vault, log, scheduler }: AppContext, cleaner: RetentionCleaner) =>
  new RetentionTask({
    pool,
    cleaner,
    store: stores.retention,
    idempotency: stores.idempotency,
    audit: stores.audit,
    signInAttempts: stores.signInAttempts,
    auditRetentionDays: config.auditRetentionDays,
    jobs: new JobStore(pool),
    jobRetentionDays: config.jobRetentionDays,
    resealSecrets: async () => {
      await stores.secrets.deleteUnused();
      return await resealProjectSecrets(stores.secrets, vault, log);
    },
    log,
    scheduler,
    checkEveryMs: CHECK_INTERVAL_MS,
    everyMs: CLEANUP_INTERVAL_MS,
    deadlineMs: CLEANUP_DEADLINE_MS,
  });

/** Hourly cleanup; every replica imports it, and one at a time cleans up. */
@Module({
  providers: [
    {
      provide: RetentionCleaner,
      inject: [APP_CONTEXT],
      useFactory: ({ stores, objects }: AppContext) => new RetentionCleaner(stores.retention, objects.store),
    },
    { provide: RetentionTask, inject: [APP_CONTEXT, RetentionCleaner], useFactory: createRetentionTask },
  ],
  exports: [RetentionCleaner, RetentionTask],
})
export class RetentionTaskModule {}

/** Cleanup on demand. */
@Module({
  imports: [RetentionTaskModule],
  controllers: [RetentionController],
  providers: [RetentionService],
})
export class RetentionModule {}
