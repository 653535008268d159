import type { Pool } from '../client/pg-pool.ts';

/** Limit for attempts with one key. */
export interface AttemptLimit {
  /** Hash of address or account, because user input may be anything. */
  readonly key: string;
  readonly max: number;
}

// Counts before checking, so that simultaneous attempts do not all pass.
const COUNT = `
INSERT INTO sign_in_attempt AS t (key, count, window_started_at)
SELECT DISTINCT key, 1, now() FROM unnest($1::text[]) AS given (key) ORDER BY key
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN t.window_started_at < now() - $2 * interval '1 second' THEN 1 ELSE t.count + 1 END,
  window_started_at = CASE WHEN t.window_started_at < now() - $2 * interval '1 second' THEN now() ELSE t.window_started_at END
RETURNING key, count, ceil(extract(epoch FROM window_started_at + $2 * interval '1 second' - now()))::int AS seconds
`;

/** Counts sign-in attempts over all replicas. */
export class SignInAttemptStore {
  constructor(private readonly pool: Pool) {}

  /** Counts an attempt. Returns 0 if it is allowed, otherwise the seconds until the next one is. */
  async count(limits: readonly AttemptLimit[], windowSeconds: number): Promise<number> {
    const { rows } = await this.pool.query<{ key: string; count: number; seconds: number }>(COUNT, [
      limits.map(({ key }) => key),
      windowSeconds,
    ]);
    const maxByKey = new Map(limits.map((limit) => [limit.key, limit.max]));
    const exceeded = rows.filter(({ key, count }) => count > (maxByKey.get(key) ?? 0));
    return Math.max(0, ...exceeded.map(({ seconds }) => Math.max(1, seconds)));
  }

  /** Removes attempts whose window has passed, and those of `keys`. */
  async purge(windowSeconds: number, keys: readonly string[] = []): Promise<void> {
    await this.pool.query(
      `DELETE FROM sign_in_attempt WHERE window_started_at < now() - $1 * interval '1 second' OR key = ANY ($2)`,
      [windowSeconds, keys],
    );
  }
}
