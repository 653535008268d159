import { Inject } from '@nestjs/common';
import { PilothouseError, type ChangePassword, type ResetPassword, type SessionView } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { UserStore } from '@pilothouse/infra-db';
import { hashPassword, hashToken, verifyPassword } from '@pilothouse/infra-vault';
import { requireSameOrigin } from '../auth/session-cookie.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest, SignedInUser } from '../http/route-request.ts';
import { SessionService } from '../auth/session.service.ts';
import { SignInLimiter } from '../auth/sign-in-limiter.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { checkPassword } from './password-rules.ts';

/** Passwords of users who have one. */
export class PasswordsService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail' | 'byReset' | 'useReset' | 'setPassword'>,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(SignInLimiter) private readonly limits: SignInLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PilothouseError FORBIDDEN when the password until now is another */
  async change(
    { user, token }: SignedInUser,
    { current, password }: ChangePassword,
    request: HttpRequest,
  ): Promise<undefined> {
    await this.limits.checkAttempt(request.address, user.email);
    const stored = (await this.users.byEmail(user.email))?.password ?? null;
    if (!(await verifyPassword(current, stored))) {
      throw new PilothouseError('FORBIDDEN', 'This is not your password until now', {
        fields: [{ pointer: '/current', detail: 'Give the password with which you sign in' }],
      });
    }
    checkPassword(password, user.email);
    await this.users.setPassword(user.id, await hashPassword(password), hashToken(token));
    await this.limits.reset(request.address, user.email);
    return undefined;
  }

  /** @throws PilothouseError NOT_FOUND when the link is not good */
  async reset({ token, password }: ResetPassword, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    const hash = hashToken(token);
    const user = await this.users.byReset(hash, this.clock.now());
    if (user) checkPassword(password, user.email);
    if (!user || !(await this.users.useReset(user.id, hash, await hashPassword(password)))) {
      throw new PilothouseError('NOT_FOUND', 'The link was used, or is no longer good: ask an admin for another');
    }
    return this.sessions.signIn(user, request, 200);
  }
}
