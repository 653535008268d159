import type { AccountView, ProjectMembership, User } from '@pilothouse/contract/project/user.schema';
import type { Pool } from '../client/pg-pool.ts';

/** A session to store. */
export interface NewSession {
  /** SHA-256 of the cookie, hex. */
  readonly hash: string;
  readonly user: string;
  /** Absolute lifetime and idle timeout, in seconds. */
  readonly lifeSeconds: number;
  readonly idleSeconds: number;
}

/** A valid session, with its user and the projects of the user. */
export interface ActiveSession {
  readonly user: User;
  readonly projects: readonly ProjectMembership[];
  readonly expiresAt: Date;
}

interface Row extends Omit<ActiveSession, 'user'>, User {
  stale: boolean;
}

// Runs with every request of the console. Roles are read each time, so that a removed role ends at once.
const FIND = `
SELECT u.id, u.email, u.name, s.expires_at AS "expiresAt", s.last_seen_at < now() - interval '1 minute' AS stale,
  COALESCE((
    SELECT json_agg(json_build_object('id', p.id, 'slug', p.slug, 'name', p.name, 'role', m.role) ORDER BY p.name, p.id)
    FROM membership m JOIN project p ON p.id = m.project_id WHERE m.user_id = u.id
  ), '[]') AS projects
FROM user_session s JOIN user_account u ON u.id = s.user_id
WHERE s.hash = $1 AND s.expires_at > now() AND s.last_seen_at > now() - $2 * interval '1 second'
`;

/** User sessions. Only hashes of the cookies are stored. */
export class UserSessionStore {
  constructor(private readonly pool: Pool) {}

  /** Creates a session, and removes expired ones. @returns its end */
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

  /** The session of this hash, unless it is expired or idle; records its use, at most once a minute. */
  async use(hash: string, idleSeconds: number): Promise<ActiveSession | null> {
    const { rows } = await this.pool.query<Row>({ name: 'find-session', text: FIND, values: [hash, idleSeconds] });
    const row = rows[0];
    if (!row) return null;
    if (row.stale) await this.pool.query('UPDATE user_session SET last_seen_at = now() WHERE hash = $1', [hash]);
    const { id, email, name, projects, expiresAt } = row;
    return { user: { id, email, name }, projects, expiresAt };
  }

  /** Sign-in methods and active sessions of a user. @param hash of the current session */
  async account(user: string, hash: string, idleSeconds: number): Promise<Omit<AccountView, 'user'>> {
    const [methods, sessions] = await Promise.all([
      this.pool.query<Pick<AccountView, 'hasPassword' | 'providers'>>(
        `SELECT password IS NOT NULL AS "hasPassword",
           ARRAY(SELECT DISTINCT issuer FROM user_identity WHERE user_id = $1 ORDER BY issuer) AS providers
         FROM user_account WHERE id = $1`,
        [user],
      ),
      this.pool.query<Record<'createdAt' | 'lastSeenAt' | 'expiresAt', Date> & { isCurrent: boolean }>(
        `SELECT hash = $2 AS "isCurrent", created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"
         FROM user_session WHERE user_id = $1 AND expires_at > now() AND last_seen_at > now() - $3 * interval '1 second'
         ORDER BY last_seen_at DESC, created_at DESC`,
        [user, hash, idleSeconds],
      ),
    ]);
    const { hasPassword, providers } = methods.rows[0] ?? { hasPassword: false, providers: [] };
    return {
      hasPassword,
      providers,
      sessions: sessions.rows.map(({ isCurrent, createdAt, lastSeenAt, expiresAt }) => ({
        isCurrent,
        createdAt: createdAt.toISOString(),
        lastSeenAt: lastSeenAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
    };
  }

  /** Ends the sessions of a user except the current one. @returns the number of active sessions that ended */
  async closeOthers(user: string, currentHash: string, idleSeconds: number): Promise<number> {
    const { rows } = await this.pool.query<{ isActive: boolean }>(
      `DELETE FROM user_session WHERE user_id = $1 AND hash <> $2
       RETURNING expires_at > now() AND last_seen_at > now() - $3 * interval '1 second' AS "isActive"`,
      [user, currentHash, idleSeconds],
    );
    return rows.filter(({ isActive }) => isActive).length;
  }

  async close(hash: string): Promise<void> {
    await this.pool.query('DELETE FROM user_session WHERE hash = $1', [hash]);
  }
}
