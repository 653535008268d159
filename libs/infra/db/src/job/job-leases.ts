import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_JOB_ATTEMPTS, type JobProgress } from '@pilothouse/contract/job/job.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { JobKind, JobStatus } from '@pilothouse/contract/job/job.schema';
import { inTransaction, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { CANCELS_AT_ONCE } from './job.store.ts';

/** Right of one attempt to write a job. */
export interface JobLease {
  readonly id: string;
  readonly epoch: number;
}

/** A claimed job, as its attempt needs it. */
export interface ClaimedJob extends JobLease {
  readonly project: string;
  readonly kind: JobKind;
  readonly params: Json;
  readonly checkpoint: Json;
  readonly attempts: number;
  readonly budgetUsd: number | null;
  readonly usedUsd: number;
  /** True for a tuning job that is to be cancelled at its tuner. */
  readonly isCancelRequested: boolean;
  /** Milliseconds since the job was due. */
  readonly waitedMs: number;
}

/** Jobs that a job runner may claim. */
export interface JobClaim {
  readonly kinds: readonly JobKind[];
  /** Name of the job runner process. */
  readonly owner: string;
  readonly leaseMs: number;
}

/** A lease that was renewed. */
export interface RenewedLease extends JobLease {
  readonly isCancelRequested: boolean;
}

/** A job whose lease expired: queued again, failed after too many attempts, or cancelled. */
export interface ReclaimedJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly status: JobStatus;
}

// The project with the fewest running jobs goes first, then the job that was due first. A project with many jobs does not block another.
// `run_at` is rounded to a millisecond, up or down.
const CLAIM = `
WITH next AS MATERIALIZED (
  SELECT j.id FROM project p CROSS JOIN LATERAL (
    SELECT q.id, q.run_at FROM job q WHERE q.project_id = p.id AND q.status = 'queued' AND q.run_at <= now() + interval '1 millisecond' AND q.kind = ANY ($1)
    ORDER BY q.run_at, q.id LIMIT 1 FOR UPDATE SKIP LOCKED
  ) j
  ORDER BY (SELECT count(*) FROM job r WHERE r.project_id = p.id AND r.status = 'running'), j.run_at, j.id LIMIT 1
)
UPDATE job j SET status = 'running', epoch = epoch + 1, attempts = attempts + 1, lease_owner = $2,
  lease_expires_at = now() + $3 * interval '1 millisecond', started_at = coalesce(started_at, now())
FROM next WHERE j.id = next.id
RETURNING j.id, j.epoch, j.project_id AS project, j.kind, j.params, j.checkpoint, j.attempts, j.budget_usd AS "budgetUsd", j.used_usd AS "usedUsd",
  j.cancel_requested_at IS NOT NULL AS "isCancelRequested",
  greatest(0, extract(epoch FROM now() - j.run_at) * 1000)::float8 AS "waitedMs"`;

const RENEW = `
UPDATE job j SET lease_expires_at = now() + $2 * interval '1 millisecond'
FROM json_to_recordset($1::json) AS x(id uuid, epoch int) WHERE j.id = x.id AND j.epoch = x.epoch AND j.status = 'running'
RETURNING j.id, j.epoch, j.cancel_requested_at IS NOT NULL AS "isCancelRequested"`;

/** Adds the tuning job, which may still run, to the message of $1. */
const POISON_TRAINING = `($1::jsonb || jsonb_build_object('message',
    ($1::jsonb->>'message') || ' Its training ' || (checkpoint->>'tunerJob') || ' may still run at the tuner.'))::json`;

const RECLAIM = `
WITH expired AS MATERIALIZED (
  SELECT id, CASE WHEN cancel_requested_at IS NOT NULL AND ${CANCELS_AT_ONCE} THEN 'cancelled' WHEN attempts >= ${MAX_JOB_ATTEMPTS} THEN 'failed' ELSE 'queued' END AS status
  FROM job WHERE status = 'running' AND lease_expires_at < now() FOR UPDATE SKIP LOCKED
)
UPDATE job j SET status = e.status, run_at = now(), lease_owner = NULL, lease_expires_at = NULL,
  error = CASE WHEN e.status <> 'failed' THEN j.error WHEN kind = 'tune' AND checkpoint->>'tunerJob' IS NOT NULL THEN ${POISON_TRAINING} ELSE $1::json END, finished_at = CASE WHEN e.status <> 'queued' THEN now() END
FROM expired e WHERE j.id = e.id RETURNING j.id, j.kind, j.status`;

const poisonJob: ErrorView = new PilothouseError(
  'POISON_JOB',
  `The job lost its job runner in ${MAX_JOB_ATTEMPTS} attempts. Check the memory and the log of the job runner, then retry the job.`,
).view();

const leaseLost = ({ id, epoch }: JobLease) =>
  new PilothouseError('LEASE_LOST', `Attempt ${epoch} of job ${id} does not hold the job any more`);

/**
 * Runs work of an attempt in one transaction, e.g. rows of its result with the checkpoint after them. The job cannot be claimed meanwhile.
 * @throws PilothouseError LEASE_LOST when another attempt holds the job, or it has ended
 */
export function inJobTransaction<Result>(
  pool: Pool,
  lease: JobLease,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query({
      name: 'lock-job',
      text: `SELECT 1 FROM job WHERE id = $1 AND epoch = $2 AND status = 'running' FOR NO KEY UPDATE`,
      values: [lease.id, lease.epoch],
    });
    if (rowCount !== 1) throw leaseLost(lease);
    return work(client);
  });
}

/**
 * Stores the position from which another attempt continues, alone or in a transaction of `inJobTransaction`.
 * @throws PilothouseError LEASE_LOST
 */
export function saveJobCheckpoint(client: Pool | PoolClient, lease: JobLease, checkpoint: Json): Promise<void> {
  return write(client, lease, 'checkpoint = $3::json', [JSON.stringify(checkpoint)]);
}

/** The part of jobs that belongs to job runners. Each write of an attempt carries its epoch. @throws PilothouseError LEASE_LOST in such a write */
export class JobLeases {
  constructor(private readonly pool: Pool) {}

  /** Claims the next due job and starts its attempt. Returns null when no job is due. */
  async claim({ kinds, owner, leaseMs }: JobClaim): Promise<ClaimedJob | null> {
    const values = [kinds, owner, leaseMs];
    const { rows } = await this.pool.query<ClaimedJob>({ name: 'claim-job', text: CLAIM, values });
    return rows[0] ?? null;
  }

  /** Renews leases. Those that are missing in the answer are lost. */
  async renew(leases: readonly JobLease[], leaseMs: number): Promise<RenewedLease[]> {
    const values = [JSON.stringify(leases.map(({ id, epoch }) => ({ id, epoch }))), leaseMs];
    return (await this.pool.query<RenewedLease>({ name: 'renew-jobs', text: RENEW, values })).rows;
  }

  /** Takes jobs from job runners that did not renew their leases. */
  async reclaimExpired(): Promise<ReclaimedJob[]> {
    return (await this.pool.query<ReclaimedJob>(RECLAIM, [JSON.stringify(poisonJob)])).rows;
  }

  progress(lease: JobLease, progress: JobProgress): Promise<void> {
    return write(this.pool, lease, 'progress = $3::json', [JSON.stringify(progress)]);
  }

  saveCheckpoint(lease: JobLease, checkpoint: Json): Promise<void> {
    return saveJobCheckpoint(this.pool, lease, checkpoint);
  }

  complete(lease: JobLease, result: Json): Promise<void> {
    return write(this.pool, lease, `${end('completed')}, result = $3::json, error = NULL`, [JSON.stringify(result)]);
  }

  /** Ends an attempt with an error. @param retryMs delay of the next attempt; null: the job has failed */
  fail(lease: JobLease, error: ErrorView, retryMs: number | null): Promise<void> {
    const state = retryMs === null ? end('failed') : requeue('$4::float8');
    const values = retryMs === null ? [JSON.stringify(error)] : [JSON.stringify(error), retryMs];
    return write(this.pool, lease, `${state}, error = $3::json`, values);
  }

  /** Ends an attempt whose cancellation was requested. */
  endCancelled(lease: JobLease): Promise<void> {
    return write(this.pool, lease, end('cancelled'), []);
  }

  /** Returns the job of a draining job runner to the queue. The attempt does not count. */
  handBack(lease: JobLease): Promise<void> {
    return write(this.pool, lease, `${requeue('0')}, attempts = greatest(0, attempts - 1)`, []);
  }
}

const end = (status: JobStatus) =>
  `status = '${status}', finished_at = now(), lease_owner = NULL, lease_expires_at = NULL`;

const requeue = (delayMs: string) =>
  `status = CASE WHEN cancel_requested_at IS NOT NULL AND ${CANCELS_AT_ONCE} THEN 'cancelled' ELSE 'queued' END,
   finished_at = CASE WHEN cancel_requested_at IS NOT NULL AND ${CANCELS_AT_ONCE} THEN now() END,
   run_at = now() + ${delayMs} * interval '1 millisecond', lease_owner = NULL, lease_expires_at = NULL`;

async function write(
  client: Pool | PoolClient,
  lease: JobLease,
  assignments: string,
  values: readonly unknown[],
): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE job SET ${assignments} WHERE id = $1 AND epoch = $2 AND status = 'running'`,
    [lease.id, lease.epoch, ...values],
  );
  if (rowCount !== 1) throw leaseLost(lease);
}
