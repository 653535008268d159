import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import { GroupCommit } from '../client/group-commit.ts';
import type { Pool } from '../client/pg-pool.ts';
import type { WorkerFlags } from '../fleet/worker-session.store.ts';

/**
 * Lease times for which a run stays with a connected worker after its last renewal. The worker itself acts for one lease time only: a worker
 * on a busy machine pauses, and keeps its run.
 */
export const HELD_LEASES = 3;

/** Renewal of all attempts of a worker. */
export interface LeaseRenewal {
  session: string;
  busy: number;
  attempts: readonly Attempt[];
}

/** Answer to the worker. Missing attempts are lost. */
export interface RenewalResult extends WorkerFlags {
  attempts: Attempt[];
  cancelled: Attempt[];
  answers: (Attempt & { answer: RunAnswer })[];
  /** Attempts under manual control. Their workers may have missed that it was taken. */
  controls: (Attempt & RenewedControl)[];
}

/** Control of a person, and the milliseconds until it is released without input. */
interface RenewedControl {
  token: number;
  operator: string;
  validMs: number;
}

type RenewedRow = Attempt & {
  session: string;
  cancel: boolean;
  answer: RunAnswer | null;
  control: RenewedControl | null;
};

const RENEW = `
WITH requested AS (
  SELECT * FROM json_to_recordset($1::json) AS x(session uuid, run uuid, epoch int)
),
locked AS MATERIALIZED (
  SELECT l.run_id, l.epoch, l.session FROM lease l
  JOIN requested a ON a.run = l.run_id AND a.epoch = l.epoch AND a.session = l.session
  ORDER BY l.run_id FOR UPDATE OF l
),
renewed AS (
  UPDATE lease l SET expires_at = now() + $2 * interval '1 millisecond' FROM locked m WHERE l.run_id = m.run_id
)
SELECT m.session, m.run_id AS run, m.epoch, r.cancel_requested_at IS NOT NULL AS cancel, r.answer,
  CASE WHEN c.token IS NOT NULL THEN json_build_object('token', c.token, 'operator', c.operator_name,
    'validMs', ceil(extract(epoch FROM c.expires_at - now()) * 1000)) END AS control
FROM locked m JOIN run r ON r.id = m.run_id
LEFT JOIN control_session c ON c.run_id = m.run_id AND c.epoch = m.epoch AND c.expires_at > now()
`;

// `idle_since` orders workers for draining; it is set once, when the last run ends. The lock does not block claims.
const UPDATE_LAST_SEEN = `
UPDATE worker w SET
  last_seen_at = now(), busy = a.busy,
  state = CASE WHEN w.state = 'disconnected' THEN 'ready' ELSE w.state END,
  idle_since = CASE WHEN a.busy > 0 THEN NULL ELSE coalesce(w.idle_since, now()) END
FROM (
  SELECT w2.id, x.busy FROM json_to_recordset($1::json) AS x(session uuid, busy int)
  JOIN worker w2 ON w2.session = x.session ORDER BY w2.id FOR NO KEY UPDATE OF w2
) a
WHERE w.id = a.id
RETURNING w.session, w.drain_requested_at IS NOT NULL AS drain, w.cordoned_at IS NOT NULL AS cordoned
`;

/** Renews the leases of many workers in one statement, for `HELD_LEASES` lease times. */
export class RunLeaseRenewer {
  private readonly commit: GroupCommit<LeaseRenewal, RenewalResult | null>;

  constructor(pool: Pool, leaseMs: number, onFlush?: (size: number, milliseconds: number) => void) {
    const flush = async (renewals: readonly LeaseRenewal[]) => {
      const requestedAttempts = renewals.flatMap(({ session, attempts }) =>
        attempts.map((attempt) => ({ session, ...attempt })),
      );
      const [leases, workers] = await Promise.all([
        requestedAttempts.length === 0
          ? { rows: [] }
          : pool.query<RenewedRow>({
              name: 'renew',
              text: RENEW,
              values: [JSON.stringify(requestedAttempts), HELD_LEASES * leaseMs],
            }),
        pool.query<WorkerFlags & { session: string }>({
          name: 'seen',
          text: UPDATE_LAST_SEEN,
          values: [JSON.stringify(renewals.map(({ session, busy }) => ({ session, busy })))],
        }),
      ]);
      const flags = new Map(workers.rows.map(({ session, ...flags }) => [session, flags]));
      return renewals.map(({ session }) => {
        const workerFlags = flags.get(session);
        if (!workerFlags) return null;
        const own = leases.rows.filter((row) => row.session === session);
        return {
          attempts: own.map(({ run, epoch }) => ({ run, epoch })),
          cancelled: own.filter(({ cancel }) => cancel).map(({ run, epoch }) => ({ run, epoch })),
          controls: own.flatMap(({ run, epoch, control }) => (control ? [{ run, epoch, ...control }] : [])),
          answers: own.flatMap(({ run, epoch, answer }) => (answer ? [{ run, epoch, answer }] : [])),
          ...workerFlags,
        };
      });
    };
    this.commit = new GroupCommit({ flush, keyOf: ({ session }) => session, onFlush });
  }

  /** @returns valid attempts; null when the session is unknown. */
  renew(renewal: LeaseRenewal): Promise<RenewalResult | null> {
    return this.commit.write(renewal);
  }
}

/**
 * Ends the leases of a disconnected worker one lease time after its last renewal. The worker does not act longer, and may be dead. A lease
 * that ends earlier stays as it is, so that a second call changes nothing. Only the lease itself says when it was renewed: the time of the
 * worker is written apart from it.
 */
export async function shortenLeases(pool: Pool, session: string, leaseMs: number): Promise<void> {
  await pool.query({
    name: 'shorten-leases',
    // Locks in the order of renewals, so that the two cannot deadlock.
    text: `WITH locked AS MATERIALIZED (
             SELECT run_id FROM lease
             WHERE session = $1 AND expires_at > now() + $2 * interval '1 millisecond'
             ORDER BY run_id FOR UPDATE
           )
           UPDATE lease l SET expires_at = greatest(
             l.expires_at - $3 * interval '1 millisecond', l.accepted_at + $2 * interval '1 millisecond'
           ) FROM locked m WHERE l.run_id = m.run_id`,
    values: [session, leaseMs, (HELD_LEASES - 1) * leaseMs],
  });
}

/** Returns whether an attempt of this session holds its run. */
export async function holdsLease(
  pool: Pool,
  { run, epoch, session }: Attempt & { readonly session: string },
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'holds-lease',
    text: 'SELECT 1 FROM lease WHERE run_id = $1 AND epoch = $2 AND session = $3',
    values: [run, epoch, session],
  });
  return rowCount === 1;
}

/** Counts a claim from now while its assignment is on its way to the worker. */
export async function extendClaim(
  pool: Pool,
  { run, epoch, session, leaseMs }: Attempt & { readonly session: string; readonly leaseMs: number },
): Promise<void> {
  await pool.query({
    name: 'prolong-claim',
    text: `UPDATE lease SET claimed_at = now(), expires_at = now() + $4 * interval '1 millisecond'
           WHERE run_id = $1 AND epoch = $2 AND session = $3 AND accepted_at IS NULL`,
    values: [run, epoch, session, leaseMs],
  });
}
