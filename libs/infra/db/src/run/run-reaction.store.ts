import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import type { Pool } from '../client/pg-pool.ts';

/** A reaction that an executor holds. */
export interface ClaimedReaction {
  readonly run: string;
  readonly reaction: RunReaction;
  /** Number of started attempts, with this one. It fences the executor of an earlier attempt. */
  readonly attempts: number;
}

const HELD = `unnest($1::uuid[], $2::text[], $3::int[]) AS held(run, reaction, attempts)
  WHERE r.run_id = held.run AND r.reaction = held.reaction AND r.attempts = held.attempts`;

/** Reactions of ended runs that are not done yet. A claim makes a reaction due again after its lease. All times are of the database. */
export class RunReactionStore {
  constructor(private readonly pool: Pool) {}

  /** Claims due reactions, the longest due first. Skips those that another executor claims at this time. */
  async claim(
    reactions: readonly RunReaction[],
    { limit, leaseMs }: { limit: number; leaseMs: number },
  ): Promise<ClaimedReaction[]> {
    const { rows } = await this.pool.query<ClaimedReaction>({
      name: 'claim-reactions',
      text: `WITH due AS (
          SELECT run_id, reaction FROM run_reaction WHERE reaction = ANY ($1::text[]) AND due_at <= now()
          ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
        )
        UPDATE run_reaction r SET attempts = r.attempts + 1, due_at = now() + $3 * interval '1 millisecond'
        FROM due WHERE r.run_id = due.run_id AND r.reaction = due.reaction
        RETURNING r.run_id AS run, r.reaction, r.attempts`,
      values: [reactions, limit, leaseMs],
    });
    return rows;
  }

  /** Makes claimed reactions due in `ms`: it renews their lease, delays their next attempt, or gives them back. */
  async postpone(claimed: readonly ClaimedReaction[], ms: number): Promise<void> {
    await this.pool.query({
      name: 'postpone-reactions',
      text: `UPDATE run_reaction r SET due_at = now() + $4 * interval '1 millisecond' FROM ${HELD}`,
      values: [...keysOf(claimed), ms],
    });
  }

  /** Deletes a claimed reaction. It is not executed again. */
  async end(claimed: ClaimedReaction): Promise<void> {
    await this.pool.query({
      name: 'end-reaction',
      text: `DELETE FROM run_reaction r USING ${HELD}`,
      values: keysOf([claimed]),
    });
  }
}

const keysOf = (claimed: readonly ClaimedReaction[]): unknown[] => [
  claimed.map(({ run }) => run),
  claimed.map(({ reaction }) => reaction),
  claimed.map(({ attempts }) => attempts),
];
