import type { Pool } from '../client/pg-pool.ts';

/** So many tries of one kind within a time. */
export interface AttemptLimit {
  /** Who tries what: a hash, because what was typed may be anything. */
  readonly key: string;
  readonly max: number;
}

// Counts before anything is looked at, so that tries at the same moment do not all slip through.
const COUNT = `
INSERT INTO sign_in_attempt AS t (key, count, window_started_at)
SELECT DISTINCT key, 1, now() FROM unnest($1::text[]) AS given (key) ORDER BY key
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN t.window_started_at < now() - $2 * interval '1 second' THEN 1 ELSE t.count + 1 END,
  window_started_at = CASE WHEN t.window_started_at < now() - $2 * interval '1 second' THEN now() ELSE t.window_started_at END
RETURNING key, count, ceil(extract(epoch FROM window_started_at + $2 * interval '1 second' - now()))::int AS seconds
`;

/** How often it was tried to sign in, over all replicas. */
export class SignInAttemptStore {
  constructor(private readonly pool: Pool) {}

  /** Counts a try. @returns 0 when it may be made; otherwise seconds until the next one may */
  async count(limits: readonly AttemptLimit[], windowSeconds: number): Promise<number> {
    const { rows } = await this.pool.query<{ key: string; count: number; seconds: number }>(COUNT, [
      limits.map(({ key }) => key),
      windowSeconds,
    ]);
    const most = new Map(limits.map((limit) => [limit.key, limit.max]));
    const over = rows.filter(({ key, count }) => count > (most.get(key) ?? 0));
    return Math.max(0, ...over.map(({ seconds }) => Math.max(1, seconds)));
  }

  /** Forgets tries: those of these keys, and all that no longer count. */
  async forget(keys: readonly string[], windowSeconds: number): Promise<void> {
    await this.pool.query(
      `DELETE FROM sign_in_attempt WHERE key = ANY ($1) OR window_started_at < now() - $2 * interval '1 second'`,
      [keys, windowSeconds],
    );
  }
}
