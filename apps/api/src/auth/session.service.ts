import { Inject } from '@nestjs/common';
import type { SessionView, User } from '@pilothouse/contract';
import { UserSessionStore, type ActiveSession } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { csrfTokenFor, serializeSessionCookie } from './session-cookie.ts';
import { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest, SignedInUser } from '../http/route-request.ts';

/** Seconds a session is good for, however much it is used: two weeks. */
const LIFE = 14 * 86_400;

/** Seconds it may go unused: two days, so that who comes every day stays. */
const IDLE = 2 * 86_400;

/** How every session begins. */
const PREFIX = 'phs_';

/** Opens, knows and closes sessions of users. */
export class SessionService {
  constructor(@Inject(UserSessionStore) private readonly store: UserSessionStore) {}

  /** The session of this cookie; null when it is none, or over. */
  find(token: string): Promise<ActiveSession | null> {
    return this.store.use(hashToken(token), IDLE);
  }

  /** Signs a user in, and says so. */
  async signIn(user: User, request: HttpRequest, status: 200 | 201): Promise<HttpResponse<SessionView>> {
    const { view, cookie } = await this.create(user, request);
    return new HttpResponse(status, view, { 'set-cookie': cookie });
  }

  /** Signs a user in: always with a new session, so that none that was put into the browser before is worth anything. */
  async create(user: User, request: HttpRequest): Promise<{ view: SessionView; cookie: string }> {
    request.audit.actor = user;
    const token = newToken(PREFIX);
    const hash = hashToken(token);
    await this.store.open({ hash, user: user.id, lifeSeconds: LIFE, idleSeconds: IDLE });
    const found = await this.store.use(hash, IDLE);
    if (!found) throw new Error('The session that was just opened is gone');
    return { view: toSessionView({ ...found, token }), cookie: serializeSessionCookie(token, request.origin, LIFE) };
  }

  async signOut({ token }: SignedInUser, { origin }: Pick<HttpRequest, 'origin'>): Promise<HttpResponse<undefined>> {
    await this.store.close(hashToken(token));
    return new HttpResponse<undefined>(204, null, { 'set-cookie': serializeSessionCookie('', origin, 0) });
  }
}

/** A session as its user sees it. */
export const toSessionView = ({ user, projects, token, expiresAt }: SignedInUser): SessionView => ({
  user,
  projects: [...projects],
  csrf: csrfTokenFor(token),
  expiresAt: expiresAt.toISOString(),
});
