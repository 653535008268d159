import type { BlobStore, Log } from '@pilothouse/core';
import type { Pool, Stores } from '@pilothouse/infra-db';
import type { JobDeps } from '../common/periodic-job.ts';
import { RetentionJob } from './retention.job.ts';
import { RetentionCleaner } from './retention-cleaner.ts';

export interface RetentionOptions {
  pool: Pool;
  stores: Pick<Stores, 'retention' | 'idempotency' | 'audit' | 'signInTries'>;
  objects: Pick<BlobStore, 'delete'>;
  /** Days that an entry of the audit log is kept. */
  keepAuditDays: number;
  log: Log;
  jobs: JobDeps;
}

const LOOK_EVERY_MS = 60_000;
const EVERY_MS = 3_600_000;
const ROUND_MS = 600_000;

/** What removes what is no longer kept, in one replica. */
export interface RetentionHouse {
  retention: RetentionCleaner;
  job: RetentionJob;
}

/** Builds it and starts its job. */
export function RetentionModule({ pool, stores, objects, keepAuditDays, log, jobs }: RetentionOptions): RetentionHouse {
  const retention = new RetentionCleaner(stores.retention, objects);
  const { retention: store, idempotency, audit, signInTries: tries } = stores;
  const times = { lookEveryMs: LOOK_EVERY_MS, everyMs: EVERY_MS, roundMs: ROUND_MS };
  const job = new RetentionJob({
    pool,
    retention,
    store,
    idempotency,
    audit,
    tries,
    keepAuditDays,
    log,
    jobs,
    ...times,
  });
  job.start();
  return { retention, job };
}
