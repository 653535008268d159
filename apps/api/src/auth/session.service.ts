import { Inject } from '@nestjs/common';
import type { AccountView, SessionView, User } from '@pilothouse/contract/project/user.schema';
import { UserSessionStore, type ActiveSession } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { csrfTokenFor, serializeSessionCookie } from './session-cookie.ts';
import { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest, SignedInUser } from '../http/route-request.ts';

/** Maximum age of a session, in seconds: two weeks. */
const MAX_AGE_SECONDS = 14 * 86_400;

/** Seconds without use after which a session ends: two days, so that daily users stay signed in. */
const MAX_IDLE_SECONDS = 2 * 86_400;

/** Prefix of every session token. */
const SESSION_PREFIX = 'phs_';

/** Creates, finds and ends sessions of users. */
export class SessionService {
  constructor(@Inject(UserSessionStore) private readonly store: UserSessionStore) {}

  /** Finds the session of a cookie. Returns null if it is unknown or has ended. */
  find(token: string): Promise<ActiveSession | null> {
    return this.store.use(hashToken(token), MAX_IDLE_SECONDS);
  }

  /** Signs a user in and returns the response with the cookie. */
  async signIn(user: User, request: HttpRequest, status: 200 | 201): Promise<HttpResponse<SessionView>> {
    const { view, cookie } = await this.create(user, request);
    return new HttpResponse(status, view, { 'set-cookie': cookie });
  }

  /** Creates a session. It is always a new one, so that a session that an attacker put into the browser is never signed in. */
  async create(user: User, request: HttpRequest): Promise<{ view: SessionView; cookie: string }> {
    request.audit.actor = user;
    const token = newToken(SESSION_PREFIX);
    const hash = hashToken(token);
    await this.store.open({ hash, user: user.id, lifeSeconds: MAX_AGE_SECONDS, idleSeconds: MAX_IDLE_SECONDS });
    const session = await this.store.use(hash, MAX_IDLE_SECONDS);
    if (!session) throw new Error('The new session was deleted meanwhile.');
    return {
      view: toSessionView({ ...session, token }),
      cookie: serializeSessionCookie(token, request.origin, MAX_AGE_SECONDS),
    };
  }

  /** Reads the account of a user: sign-in methods and active sessions. */
  async account({ user, token }: SignedInUser): Promise<AccountView> {
    return { user, ...(await this.store.account(user.id, hashToken(token), MAX_IDLE_SECONDS)) };
  }

  /** Ends the other sessions of the user. */
  async endOthers({ user, token }: SignedInUser): Promise<{ ended: number }> {
    return { ended: await this.store.closeOthers(user.id, hashToken(token), MAX_IDLE_SECONDS) };
  }

  async signOut({ token }: SignedInUser, { origin }: Pick<HttpRequest, 'origin'>): Promise<HttpResponse<undefined>> {
    await this.store.close(hashToken(token));
    return new HttpResponse<undefined>(204, null, { 'set-cookie': serializeSessionCookie('', origin, 0) });
  }
}

/** Returns the public view of a session. */
export const toSessionView = ({ user, projects, token, expiresAt }: SignedInUser): SessionView => ({
  user,
  projects: [...projects],
  csrf: csrfTokenFor(token),
  expiresAt: expiresAt.toISOString(),
});
