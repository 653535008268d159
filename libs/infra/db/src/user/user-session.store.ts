import type { ProjectMembership, User } from '@pilothouse/contract';
import type { Pool } from '../client/pg-pool.ts';

/** A session to be stored. */
export interface NewSession {
  /** SHA-256 of the cookie, hex. */
  readonly hash: string;
  readonly user: string;
  /** How long it is good for however much it is used, and how long it may go unused, in seconds. */
  readonly lifeSeconds: number;
  readonly idleSeconds: number;
}

/** A session that opened a door: whose it is, and which projects are open to them. */
export interface ActiveSession {
  readonly user: User;
  readonly projects: readonly ProjectMembership[];
  readonly expiresAt: Date;
}

interface Row extends Omit<ActiveSession, 'user'>, User {
  stale: boolean;
}

// Asked with every request of the console. Roles are read anew each time: who lost a project has lost it at once.
const FIND = `
SELECT u.id, u.email, u.name, s.expires_at AS "expiresAt", s.last_seen_at < now() - interval '1 minute' AS stale,
  COALESCE((
    SELECT json_agg(json_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'role', m.role) ORDER BY p.name, p.id)
    FROM membership m JOIN project p ON p.id = m.project_id WHERE m.user_id = u.id
  ), '[]') AS projects
FROM user_session s JOIN user_account u ON u.id = s.user_id
WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - $2 * interval '1 second'
`;

/** Sessions of users. The cookies themselves are nowhere, only their hashes. */
export class UserSessionStore {
  constructor(private readonly pool: Pool) {}

  /** Opens a session, and forgets those that are over. @returns when it ends */
  async open({ hash, user, lifeSeconds, idleSeconds }: NewSession): Promise<Date> {
    await this.pool.query(
      `DELETE FROM user_session WHERE expires_at < now() OR last_seen_at < now() - $1 * interval '1 second'`,
      [idleSeconds],
    );
    const { rows } = await this.pool.query<{ expiresAt: Date }>(
      `INSERT INTO user_session (hash, user_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 second')
       RETURNING expires_at AS "expiresAt"`,
      [hash, user, lifeSeconds],
    );
    return (rows[0] as { expiresAt: Date }).expiresAt;
  }

  /** The session of this hash, unless it is over or went unused for too long; notes its use, once a minute at most. */
  async use(hash: string, idleSeconds: number): Promise<ActiveSession | null> {
    const { rows } = await this.pool.query<Row>({ name: 'find-session', text: FIND, values: [hash, idleSeconds] });
    const row = rows[0];
    if (!row) return null;
    if (row.stale) await this.pool.query('UPDATE user_session SET last_seen_at = now() WHERE hash = $1', [hash]);
    const { id, email, name, projects, expiresAt } = row;
    return { user: { id, email, name }, projects, expiresAt };
  }

  async close(hash: string): Promise<void> {
    await this.pool.query('DELETE FROM user_session WHERE hash = $1', [hash]);
  }
}
