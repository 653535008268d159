import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { Pool } from '../client/pg-pool.ts';

export interface ControlSessionRow extends Attempt {
  token: number;
  operator: string;
  /** Time at which control is released without input. */
  expiresAt: Date;
}

/** A user who requests control. */
export interface Operator {
  /** Id of the user or the key. */
  holder: string;
  /** Display name. */
  operator: string;
}

const COLUMNS = 'run_id AS run, epoch, token, operator_name AS operator, expires_at AS "expiresAt"';

/**
 * Takes control of an active run, unless another operator has it. The current operator keeps control with the same token.
 * @returns `isNew` when the operator has changed; null when control is not available
 */
export async function takeControl(
  pool: Pool,
  run: string,
  { holder, operator }: Operator,
  forMs: number,
): Promise<(ControlSessionRow & { isNew: boolean }) | null> {
  const { rows } = await pool.query<ControlSessionRow & { isNew: boolean }>(
    `WITH renewed AS (
       UPDATE control_session c SET expires_at = now() + $4 * interval '1 millisecond' FROM run r
       WHERE c.run_id = $1 AND r.id = $1 AND r.epoch = c.epoch AND c.operator_id = $2 AND c.expires_at > now()
         AND r.status IN ('running', 'awaiting_user') AND r.worker_name IS NOT NULL
       RETURNING c.run_id, c.epoch, c.token, c.operator_name, c.expires_at
     ), started AS (
       INSERT INTO control_session AS c (run_id, epoch, operator_id, operator_name, expires_at)
       SELECT r.id, r.epoch, $2, $3, now() + $4 * interval '1 millisecond' FROM run r
       WHERE r.id = $1 AND r.status IN ('running', 'awaiting_user') AND r.worker_name IS NOT NULL AND NOT EXISTS (SELECT FROM renewed)
       ON CONFLICT (run_id) DO UPDATE SET
         epoch = excluded.epoch, token = excluded.token, operator_id = excluded.operator_id, operator_name = excluded.operator_name,
         expires_at = excluded.expires_at, last_batch = 0, files = '{}'
       WHERE c.expires_at <= now() OR c.epoch <> excluded.epoch
       RETURNING run_id, epoch, token, operator_name, expires_at
     )
     SELECT ${COLUMNS}, false AS "isNew" FROM renewed UNION ALL SELECT ${COLUMNS}, true FROM started`,
    [run, holder, operator, forMs],
  );
  return rows[0] ?? null;
}

/** The control session of a run; null without one. */
export async function readControl(
  pool: Pool,
  run: string,
): Promise<(ControlSessionRow & Pick<Operator, 'holder'>) | null> {
  const { rows } = await pool.query<ControlSessionRow & Pick<Operator, 'holder'>>(
    `SELECT ${COLUMNS}, operator_id AS holder FROM control_session WHERE run_id = $1 AND expires_at > now()`,
    [run],
  );
  return rows[0] ?? null;
}

/**
 * Numbers a batch of input, and restarts the idle time of the control session.
 * @param files ids of uploads in the input, which the worker of the run may fetch from now on
 * @returns null when the token or the operator differs, control was released, or the run does not wait
 */
export async function extendControl(
  pool: Pool,
  run: string,
  {
    holder,
    token,
    files = [],
  }: Pick<Operator, 'holder'> & Pick<ControlSessionRow, 'token'> & { files?: readonly string[] },
  forMs: number,
): Promise<(ControlSessionRow & { n: number }) | null> {
  const { rows } = await pool.query<ControlSessionRow & { n: number }>({
    name: 'steer',
    text: `UPDATE control_session c SET last_batch = c.last_batch + 1, files = c.files || $5::uuid[], expires_at = now() + $4 * interval '1 millisecond' FROM run r
     WHERE c.run_id = $1 AND c.operator_id = $2 AND c.token = $3 AND c.expires_at > now()
       AND r.id = c.run_id AND r.epoch = c.epoch AND r.status = 'awaiting_user' AND r.worker_name IS NOT NULL
     RETURNING c.run_id AS run, c.epoch, c.token, c.operator_name AS operator, c.expires_at AS "expiresAt", c.last_batch AS n`,
    values: [run, holder, token, forMs, files],
  });
  return rows[0] ?? null;
}

/** Releases the control session of an operator, or the one with a token. @returns null without such a session */
export async function releaseControl(
  pool: Pool,
  run: string,
  { holder, token }: Partial<Pick<Operator, 'holder'> & Pick<ControlSessionRow, 'token'>>,
): Promise<ControlSessionRow | null> {
  const { rows } = await pool.query<ControlSessionRow>(
    `DELETE FROM control_session WHERE run_id = $1 AND ($2::uuid IS NULL OR operator_id = $2) AND ($3::int IS NULL OR token = $3) RETURNING ${COLUMNS}`,
    [run, holder ?? null, token ?? null],
  );
  return rows[0] ?? null;
}

/** Releases idle control sessions. */
export async function releaseIdleControl(pool: Pool): Promise<ControlSessionRow[]> {
  const { rows } = await pool.query<ControlSessionRow>(
    `DELETE FROM control_session WHERE expires_at <= now() RETURNING ${COLUMNS}`,
  );
  return rows;
}

/** Runs that wait only for the end of a control session that has ended. */
export async function runsWaitingForControl(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ run: string }>(
    `SELECT id AS run FROM run r WHERE ${WAITS_FOR_CONTROL_SQL} LIMIT 500`,
  );
  return rows.map(({ run }) => run);
}

/** Condition on row `r` of runs. */
export const WAITS_FOR_CONTROL_SQL = `r.status = 'awaiting_user' AND r.question ? 'controlToken' AND NOT EXISTS (SELECT FROM control_session c WHERE c.run_id = r.id)`;
