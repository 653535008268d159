import { Inject } from '@nestjs/common';
import { PilothouseError, type ChangePassword, type ResetPassword, type SessionView } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
import { UserStore } from '@pilothouse/infra-db';
import { hashPassword, hashToken, isPassword } from '@pilothouse/infra-vault';
import { refuseOtherSites } from '../auth/forgery.ts';
import type { Answer } from '../http/answer.ts';
import type { RawRequest, SignedIn } from '../http/call.ts';
import { Sessions } from '../auth/sessions.ts';
import { TryLimits } from '../sessions/try.limits.ts';
import { CLOCK } from '../tokens.ts';
import { checkPassword } from './password.rules.ts';

/** Passwords of users who have one. */
export class PasswordsService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail' | 'byReset' | 'useReset' | 'setPassword'>,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(TryLimits) private readonly limits: TryLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PilothouseError FORBIDDEN when the password until now is another */
  async change(
    { user, token }: SignedIn,
    { current, password }: ChangePassword,
    request: RawRequest,
  ): Promise<undefined> {
    await this.limits.count(request.address, user.email);
    const stored = (await this.users.byEmail(user.email))?.password ?? null;
    if (!(await isPassword(current, stored))) {
      throw new PilothouseError('FORBIDDEN', 'This is not your password until now', {
        fields: [{ pointer: '/current', detail: 'Give the password with which you sign in' }],
      });
    }
    checkPassword(password, user.email);
    await this.users.setPassword(user.id, await hashPassword(password), hashToken(token));
    await this.limits.succeeded(request.address, user.email);
    return undefined;
  }

  /** @throws PilothouseError NOT_FOUND when the link is not good */
  async reset({ token, password }: ResetPassword, request: RawRequest): Promise<Answer<SessionView>> {
    refuseOtherSites(request.headers, request.origin);
    const hash = hashToken(token);
    const user = await this.users.byReset(hash, this.clock.now());
    if (user) checkPassword(password, user.email);
    if (!user || !(await this.users.useReset(user.id, hash, await hashPassword(password)))) {
      throw new PilothouseError('NOT_FOUND', 'The link was used, or is no longer good: ask an admin for another');
    }
    return this.sessions.open(user, request, 200);
  }
}
