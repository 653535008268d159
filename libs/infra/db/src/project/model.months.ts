import type { MonthBudget, Spent } from '@pilothouse/contract';
import type { Pool } from '../pool.ts';

/** What a call of a model may come to, or came to. */
export interface ModelAmount {
  readonly tokens: number;
  readonly usd: number;
}

/** Room that a call has in the budget of a month. */
export interface Held extends ModelAmount {
  readonly project: string;
  /** First day of the month, `2026-11-01`. */
  readonly month: string;
}

const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

// Row by row, so that of two calls that come together the second sees what the first holds.
const HOLD = `
INSERT INTO model_month AS m (project_id, month, held_tokens, held_usd)
SELECT $1::uuid, ${MONTH}, $2::bigint, $3::float8 WHERE $2 <= $4::float8 AND $3 <= $5::float8
ON CONFLICT (project_id, month) DO UPDATE SET held_tokens = m.held_tokens + $2, held_usd = m.held_usd + $3
  WHERE m.tokens + m.held_tokens + $2 <= $4::float8 AND m.usd + m.held_usd + $3 <= $5::float8
RETURNING month::text
`;

const SETTLE = `
INSERT INTO model_month AS m (project_id, month, tokens, usd) VALUES ($1, COALESCE($2::date, ${MONTH}), $3, $4)
ON CONFLICT (project_id, month) DO UPDATE SET tokens = m.tokens + $3, usd = m.usd + $4,
  held_tokens = GREATEST(0, m.held_tokens - $5), held_usd = GREATEST(0, m.held_usd - $6)
`;

const READ = `
SELECT to_char(${MONTH}, 'YYYY-MM') AS month, m.tokens, m.usd, m.held_tokens AS "heldTokens", m.held_usd AS "heldUsd"
FROM (SELECT) one LEFT JOIN model_month m ON m.project_id = $1 AND m.month = ${MONTH}
`;

/** What models take of projects, month by month. The budget of a month holds for all replicas together: room is taken before a call, by one statement. */
export class ModelMonths {
  constructor(private readonly pool: Pool) {}

  /**
   * Takes room in this month for a call. What is not given back by `settle`, because the gateway died, is held until the month is over.
   * @returns null when there is none: nothing was taken
   */
  async hold(project: string, budget: MonthBudget, { tokens, usd }: ModelAmount): Promise<Held | null> {
    const { rows } = await this.pool.query<{ month: string }>({
      name: 'hold-model-month',
      text: HOLD,
      values: [project, tokens, usd, budget.tokens ?? Infinity, budget.usd ?? Infinity],
    });
    const [row] = rows;
    return row ? { project, month: row.month, tokens, usd } : null;
  }

  /** Counts what a call took, in the month in which it began, and gives back the room that it had. @param held null: it took none */
  async settle(project: string, held: Held | null, { tokens, usd }: ModelAmount): Promise<void> {
    await this.pool.query({
      name: 'settle-model-month',
      text: SETTLE,
      values: [project, held?.month ?? null, tokens, usd, held?.tokens ?? 0, held?.usd ?? 0],
    });
  }

  /** What this month took so far. */
  async read(project: string): Promise<Spent> {
    type Row = { month: string } & { [Column in 'tokens' | 'usd' | 'heldTokens' | 'heldUsd']: number | null };
    const { rows } = await this.pool.query<Row>({ name: 'read-model-month', text: READ, values: [project] });
    const [row] = rows;
    if (!row) throw new Error('A statement without a condition gave no row');
    return {
      month: row.month,
      tokens: row.tokens ?? 0,
      usd: row.usd ?? 0,
      held: { tokens: row.heldTokens ?? 0, usd: row.heldUsd ?? 0 },
    };
  }
}
