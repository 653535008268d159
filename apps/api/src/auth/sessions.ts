import { Inject } from '@nestjs/common';
import type { SessionView, User } from '@pilothouse/contract';
import { SessionStore, type FoundSession } from '@pilothouse/infra-db';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { csrfOf } from './forgery.ts';
import { writeCookie } from './session.cookie.ts';
import { Answer } from '../http/answer.ts';
import { rememberActor, type RawRequest, type SignedIn } from '../http/call.ts';

/** Seconds a session is good for, however much it is used: two weeks. */
const LIFE = 14 * 86_400;

/** Seconds it may go unused: two days, so that who comes every day stays. */
const IDLE = 2 * 86_400;

/** How every session begins. */
const PREFIX = 'phs_';

/** Opens, knows and closes sessions of users. */
export class Sessions {
  constructor(@Inject(SessionStore) private readonly store: SessionStore) {}

  /** The session of this cookie; null when it is none, or over. */
  use(token: string): Promise<FoundSession | null> {
    return this.store.use(hashToken(token), IDLE);
  }

  /** Signs a user in, and says so. */
  async open(user: User, request: RawRequest, status: 200 | 201): Promise<Answer<SessionView>> {
    const { view, cookie } = await this.start(user, request);
    return new Answer(status, view, { 'set-cookie': cookie });
  }

  /** Signs a user in: always with a new session, so that none that was put into the browser before is worth anything. */
  async start(user: User, request: RawRequest): Promise<{ view: SessionView; cookie: string }> {
    rememberActor(request, user);
    const token = newToken(PREFIX);
    const hash = hashToken(token);
    await this.store.open({ hash, user: user.id, lifeSeconds: LIFE, idleSeconds: IDLE });
    const found = await this.store.use(hash, IDLE);
    if (!found) throw new Error('The session that was just opened is gone');
    return { view: viewOf({ ...found, token }), cookie: writeCookie(token, request.origin, LIFE) };
  }

  async close({ token }: SignedIn, { origin }: Pick<RawRequest, 'origin'>): Promise<Answer<undefined>> {
    await this.store.close(hashToken(token));
    return new Answer<undefined>(204, null, { 'set-cookie': writeCookie('', origin, 0) });
  }
}

/** A session as its user sees it. */
export const viewOf = ({ user, projects, token, expiresAt }: SignedIn): SessionView => ({
  user,
  projects: [...projects],
  csrf: csrfOf(token),
  expiresAt: expiresAt.toISOString(),
});
