import type { MonthBudget, MonthlyUsage } from '@pilothouse/contract';
import { retryWhileUnavailable, type RetryDeadline } from '../client/database-availability.ts';
import type { Pool } from '../client/pg-pool.ts';

/** Milliseconds for which a row is kept beyond the time in which its statement may be tried: room until what its call took is written down. */
const KEPT_MS = 180_000;

/** What a call of a model may come to, or came to. */
export interface ModelSpend {
  readonly tokens: number;
  readonly usd: number;
}

/** Room that a call has in the budget of a month. */
export interface SpendReservation {
  readonly id: string;
  /** First day of the month, `2026-11-01`. */
  readonly month: string;
}

const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

// Row by row, so that of two calls that come together the second sees what the first holds.
const HOLD = `
WITH room AS (
  INSERT INTO model_spend AS m (project_id, month, reserved_tokens, reserved_usd)
  SELECT $1::uuid, ${MONTH}, $2::bigint, $3::float8 WHERE $2 <= $4::float8 AND $3 <= $5::float8
  ON CONFLICT (project_id, month) DO UPDATE SET reserved_tokens = m.reserved_tokens + $2, reserved_usd = m.reserved_usd + $3
    WHERE m.tokens + m.reserved_tokens + $2 <= $4::float8 AND m.usd + m.reserved_usd + $3 <= $5::float8
  RETURNING month
)
INSERT INTO model_spend_reservation (id, project_id, month, tokens, usd, expires_at)
SELECT $7::uuid, $1, month, $2, $3, now() + $6::float8 * interval '1 ms' FROM room
RETURNING id, month::text
`;

const HELD = 'SELECT id, month::text FROM model_spend_reservation WHERE id = $1';

// A row without room says that it was done, for as long as anybody may try it again; what took nothing needs none. All in one statement: the lock on
// the month of a project waits for no word of a client, which may be stopped.
// What is held for too long is of a gateway that died. A month that is over needs no room any more, the next one settles its own.
// Its own row and those whose time is over are looked for apart: with an OR and old statistics the planner reads all that the calls of the last
// minutes left, twice.
const SETTLE = `
WITH once AS (
  INSERT INTO model_spend_reservation (id, project_id, month, tokens, usd, expires_at)
  SELECT $6::uuid, $1::uuid, COALESCE($3::date, ${MONTH}), 0, 0, now() + $7::float8 * interval '1 ms' WHERE $6::uuid IS NOT NULL
  ON CONFLICT (id) DO NOTHING RETURNING month
), due AS (
  SELECT month FROM once UNION ALL SELECT COALESCE($3::date, ${MONTH}) WHERE $6::uuid IS NULL
), own AS (
  SELECT id FROM model_spend_reservation WHERE id = $2 AND project_id = $1 FOR UPDATE SKIP LOCKED
), late AS (
  SELECT id FROM model_spend_reservation WHERE project_id = $1 AND expires_at < now() AND month <= COALESCE($3::date, ${MONTH}) FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM model_spend_reservation WHERE EXISTS (SELECT FROM due) AND id = ANY (ARRAY(SELECT id FROM own UNION ALL SELECT id FROM late))
  RETURNING month, tokens, usd
), back AS (
  SELECT COALESCE(sum(tokens), 0)::bigint AS tokens, COALESCE(sum(usd), 0) AS usd FROM gone
  WHERE month = COALESCE($3::date, ${MONTH})
)
INSERT INTO model_spend AS m (project_id, month, tokens, usd) SELECT $1::uuid, month, $4::bigint, $5::float8 FROM due
ON CONFLICT (project_id, month) DO UPDATE SET tokens = m.tokens + EXCLUDED.tokens, usd = m.usd + EXCLUDED.usd,
  reserved_tokens = GREATEST(0, m.reserved_tokens - (SELECT tokens FROM back)), reserved_usd = GREATEST(0, m.reserved_usd - (SELECT usd FROM back))
`;

const READ = `
SELECT to_char(${MONTH}, 'YYYY-MM') AS month, m.tokens, m.usd, h.tokens AS "heldTokens", h.usd AS "heldUsd"
FROM (SELECT COALESCE(sum(tokens), 0)::bigint AS tokens, COALESCE(sum(usd), 0) AS usd FROM model_spend_reservation
  WHERE project_id = $1 AND month = ${MONTH} AND expires_at > now()) h
LEFT JOIN model_spend m ON m.project_id = $1 AND m.month = ${MONTH}
`;

/** What models take of projects, month by month. The budget of a month holds for all replicas together: room is taken before a call, by one statement. */
export class ModelSpendStore {
  constructor(private readonly pool: Pool) {}

  /**
   * Takes room in this month for a call, once.
   * @param id of the room: new
   * @param limit until when the call may take, and PostgreSQL be away. What is not given back by `settle` by then, because the gateway died, is when
   * the next call settles or finds no room
   * @returns null when there is none: nothing was taken
   * @throws as `retryWhileUnavailable`
   */
  async reserve(
    id: string,
    project: string,
    budget: MonthBudget,
    amount: ModelSpend,
    limit: RetryDeadline,
  ): Promise<SpendReservation | null> {
    const hold = () => retryWhileUnavailable(() => this.tryHold(id, project, budget, amount, limit), limit);
    const held = await hold();
    if (held) return held;
    await this.settle(null, project, null, { tokens: 0, usd: 0 }, limit);
    return hold();
  }

  /**
   * Counts what a call took, once, in the month in which it began, and gives back the room that it had.
   * @param id of this: new; null: it took nothing
   * @param held null: it took none
   * @throws as `retryWhileUnavailable`
   */
  async settle(
    id: string | null,
    project: string,
    held: SpendReservation | null,
    { tokens, usd }: ModelSpend,
    limit: RetryDeadline,
  ): Promise<void> {
    await retryWhileUnavailable(() => {
      const values = [project, held?.id ?? null, held?.month ?? null, tokens, usd, id, leftOf(limit) + KEPT_MS];
      return this.pool.query({ name: 'settle-model-spend', text: SETTLE, values });
    }, limit);
  }

  /** What this month took so far. */
  async read(project: string): Promise<MonthlyUsage> {
    type Row = { month: string } & { [Column in 'tokens' | 'usd' | 'heldTokens' | 'heldUsd']: number | null };
    const { rows } = await this.pool.query<Row>({ name: 'read-model-spend', text: READ, values: [project] });
    const [row] = rows;
    if (!row) throw new Error('A statement without a condition gave no row');
    return {
      month: row.month,
      tokens: row.tokens ?? 0,
      usd: row.usd ?? 0,
      reserved: { tokens: row.heldTokens ?? 0, usd: row.heldUsd ?? 0 },
    };
  }

  private async tryHold(
    id: string,
    project: string,
    budget: MonthBudget,
    { tokens, usd }: ModelSpend,
    limit: RetryDeadline,
  ): Promise<SpendReservation | null> {
    const most = [budget.tokens ?? Infinity, budget.usd ?? Infinity];
    const values = [project, tokens, usd, ...most, leftOf(limit) + KEPT_MS, id];
    const taken = await this.pool
      .query<SpendReservation>({ name: 'reserve-model-spend', text: HOLD, values })
      .catch((error: unknown) => {
        if (isTaken(error)) return null;
        throw error;
      });
    // What was tried before may have been done, and left no room for this.
    const { rows } = taken?.rows[0] ? taken : await this.pool.query<SpendReservation>(HELD, [id]);
    return rows[0] ?? null;
  }
}

const leftOf = ({ clock, deadline }: RetryDeadline): number => deadline - clock.monotonic();

/** Whether there is a row with this id already: with it the whole statement was undone. */
const isTaken = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === '23505';
