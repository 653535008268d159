import type { MonthBudget, MonthlyUsage } from '@pilothouse/contract/run/budget.schema';
import { monthBudgetExceeded, type CallCost } from '@pilothouse/core/run/budget-check';
import { retryWhileUnavailable, type RetryDeadline } from '../client/database-availability.ts';
import type { Pool } from '../client/pg-pool.ts';

/**
 * Milliseconds for which a reservation is stored after the retry deadline of its statement. By then the usage of its
 * call is recorded.
 */
const RESERVATION_GRACE_MS = 180_000;

/** Estimated or actual usage of a model call. */
export interface ModelSpend {
  readonly tokens: number;
  readonly usd: number;
}

/** Reservation of a call in a monthly budget. */
export interface SpendReservation {
  readonly id: string;
  /** First day of the month, `2026-11-01`. */
  readonly month: string;
}

/** A project with its monthly budget. */
export interface BudgetedProject {
  readonly project: string;
  /** Display name. */
  readonly projectName: string;
  readonly month: MonthBudget;
}

const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

// Updates row by row, so that the second of two concurrent calls sees the reservation of the first.
const INSERT_RESERVATION = `
WITH reserved_month AS (
  INSERT INTO model_spend AS m (project_id, month, reserved_tokens, reserved_usd)
  SELECT $1::uuid, ${MONTH}, $2::bigint, $3::float8 WHERE $2 <= $4::float8 AND $3 <= $5::float8
  ON CONFLICT (project_id, month) DO UPDATE SET reserved_tokens = m.reserved_tokens + $2, reserved_usd = m.reserved_usd + $3
    WHERE m.tokens + m.reserved_tokens + $2 <= $4::float8 AND m.usd + m.reserved_usd + $3 <= $5::float8
  RETURNING month
)
INSERT INTO model_spend_reservation (id, project_id, month, tokens, usd, expires_at)
SELECT $7::uuid, $1, month, $2, $3, now() + $6::float8 * interval '1 ms' FROM reserved_month
RETURNING id, month::text
`;

const SELECT_RESERVATION = 'SELECT id, month::text FROM model_spend_reservation WHERE id = $1';

// A row without a reservation marks the statement as done for as long as it may be retried; a call without usage needs none. One statement does
// everything: the lock on the month of a project never waits for a client, which may be suspended.
// An expired reservation belongs to a dead gateway. A past month needs no reservations: the next month settles them.
// The settled row and expired rows are selected separately: with an OR and outdated statistics, the planner reads all rows of the last minutes
// twice.
const SETTLE = `
WITH settlement AS (
  INSERT INTO model_spend_reservation (id, project_id, month, tokens, usd, expires_at)
  SELECT $6::uuid, $1::uuid, COALESCE($3::date, ${MONTH}), 0, 0, now() + $7::float8 * interval '1 ms' WHERE $6::uuid IS NOT NULL
  ON CONFLICT (id) DO NOTHING RETURNING month
), due AS (
  SELECT month FROM settlement UNION ALL SELECT COALESCE($3::date, ${MONTH}) WHERE $6::uuid IS NULL
), settled AS (
  SELECT id FROM model_spend_reservation WHERE id = $2 AND project_id = $1 FOR UPDATE SKIP LOCKED
), expired AS (
  SELECT id FROM model_spend_reservation WHERE project_id = $1 AND expires_at < now() AND month <= COALESCE($3::date, ${MONTH}) FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM model_spend_reservation WHERE EXISTS (SELECT FROM due) AND id = ANY (ARRAY(SELECT id FROM settled UNION ALL SELECT id FROM expired))
  RETURNING month, tokens, usd
), freed AS (
  SELECT COALESCE(sum(tokens), 0)::bigint AS tokens, COALESCE(sum(usd), 0) AS usd FROM deleted
  WHERE month = COALESCE($3::date, ${MONTH})
)
INSERT INTO model_spend AS m (project_id, month, tokens, usd) SELECT $1::uuid, month, $4::bigint, $5::float8 FROM due
ON CONFLICT (project_id, month) DO UPDATE SET tokens = m.tokens + EXCLUDED.tokens, usd = m.usd + EXCLUDED.usd,
  reserved_tokens = GREATEST(0, m.reserved_tokens - (SELECT tokens FROM freed)), reserved_usd = GREATEST(0, m.reserved_usd - (SELECT usd FROM freed))
`;

const READ = `
SELECT to_char(${MONTH}, 'YYYY-MM') AS month, m.tokens, m.usd, r.tokens AS "reservedTokens", r.usd AS "reservedUsd"
FROM (SELECT COALESCE(sum(tokens), 0)::bigint AS tokens, COALESCE(sum(usd), 0) AS usd FROM model_spend_reservation
  WHERE project_id = $1 AND month = ${MONTH} AND expires_at > now()) r
LEFT JOIN model_spend m ON m.project_id = $1 AND m.month = ${MONTH}
`;

/** Model usage of projects by month. A monthly budget applies over all replicas: one statement reserves budget before each call. */
export class ModelSpendStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Reserves budget of this month for a call, once.
   * @param id of the reservation: new
   * @param limit deadline of the call and of the retries. After it, a reservation that `settle` did not release (the gateway died)
   * is released by the next call
   * @returns null when the budget is exhausted: nothing was reserved
   * @throws as `retryWhileUnavailable`
   */
  async reserve(
    id: string,
    project: string,
    budget: MonthBudget,
    amount: ModelSpend,
    limit: RetryDeadline,
  ): Promise<SpendReservation | null> {
    const reserveWithRetries = () =>
      retryWhileUnavailable(() => this.tryReserve(id, project, budget, amount, limit), limit);
    const reservation = await reserveWithRetries();
    if (reservation) return reservation;
    await this.settle(null, project, null, { tokens: 0, usd: 0 }, limit);
    return reserveWithRetries();
  }

  /**
   * Reserves the maximum cost of a call in the budget of this month.
   * @param id of the reservation: new
   * @param cost `usd` null: the price is not known
   * @throws PilothouseError BUDGET_EXCEEDED, also when a budget in US dollars cannot be checked; as `retryWhileUnavailable`
   */
  async reserveWithinBudget(
    id: string,
    { project, projectName, month }: BudgetedProject,
    cost: CallCost,
    limit: RetryDeadline,
  ): Promise<SpendReservation> {
    const { tokens, usd } = cost;
    const isUnknown = month.usd !== undefined && usd === null;
    const reservation = isUnknown ? null : await this.reserve(id, project, month, { tokens, usd: usd ?? 0 }, limit);
    if (reservation) return reservation;
    const spent = await retryWhileUnavailable(() => this.read(project), limit);
    throw monthBudgetExceeded(projectName, month, spent, cost);
  }

  /**
   * Records the usage of a call once, in the month in which it started, and releases its reservation.
   * @param id of the record: new; null: without usage
   * @param reservation reservation; null: none
   * @throws as `retryWhileUnavailable`
   */
  async settle(
    id: string | null,
    project: string,
    reservation: SpendReservation | null,
    { tokens, usd }: ModelSpend,
    limit: RetryDeadline,
  ): Promise<void> {
    await retryWhileUnavailable(() => {
      const values = [
        project,
        reservation?.id ?? null,
        reservation?.month ?? null,
        tokens,
        usd,
        id,
        remainingMs(limit) + RESERVATION_GRACE_MS,
      ];
      return this.pool.query({ name: 'settle-model-spend', text: SETTLE, values });
    }, limit);
  }

  /** Usage of this month so far. */
  async read(project: string): Promise<MonthlyUsage> {
    type Row = { month: string } & { [Column in 'tokens' | 'usd' | 'reservedTokens' | 'reservedUsd']: number | null };
    const { rows } = await this.pool.query<Row>({ name: 'read-model-spend', text: READ, values: [project] });
    const [row] = rows;
    if (!row) throw new Error('The statement returned no row');
    return {
      month: row.month,
      tokens: row.tokens ?? 0,
      usd: row.usd ?? 0,
      reserved: { tokens: row.reservedTokens ?? 0, usd: row.reservedUsd ?? 0 },
    };
  }

  private async tryReserve(
    id: string,
    project: string,
    budget: MonthBudget,
    { tokens, usd }: ModelSpend,
    limit: RetryDeadline,
  ): Promise<SpendReservation | null> {
    const limits = [budget.tokens ?? Infinity, budget.usd ?? Infinity];
    const values = [project, tokens, usd, ...limits, remainingMs(limit) + RESERVATION_GRACE_MS, id];
    const insertResult = await this.pool
      .query<SpendReservation>({ name: 'reserve-model-spend', text: INSERT_RESERVATION, values })
      .catch((error: unknown) => {
        if (isUniqueViolation(error)) return null;
        throw error;
      });
    // An earlier attempt may have succeeded, and left no budget for this one.
    const { rows } = insertResult?.rows[0]
      ? insertResult
      : await this.pool.query<SpendReservation>(SELECT_RESERVATION, [id]);
    return rows[0] ?? null;
  }
}

const remainingMs = ({ clock, deadline }: RetryDeadline): number => deadline - clock.monotonic();

/** Returns whether a row with this id exists already: the conflict rolled back the whole statement. */
const isUniqueViolation = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505';
