import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ChangePassword, ResetPassword } from '@pilothouse/contract/project/member.schema';
import type { SessionView } from '@pilothouse/contract/project/user.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { UserStore } from '@pilothouse/infra-db';
import { hashPassword, hashToken, verifyPassword } from '@pilothouse/infra-vault';
import { requireSameOrigin } from '../auth/session-cookie.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest, SignedInUser } from '../http/route-request.ts';
import { SessionService } from '../auth/session.service.ts';
import { SignInLimiter } from '../auth/sign-in-limiter.ts';
import { CLOCK } from '../common/injection-tokens.ts';
import { checkPassword } from '../auth/password-rules.ts';

/** Changes and resets passwords. */
export class PasswordsService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail' | 'byReset' | 'useReset' | 'setPassword'>,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(SignInLimiter) private readonly limiter: SignInLimiter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PilothouseError FORBIDDEN if the current password is wrong */
  async change(
    { user, token }: SignedInUser,
    { current, password }: ChangePassword,
    request: HttpRequest,
  ): Promise<undefined> {
    await this.limiter.checkAttempt(request.address, user.email);
    const storedHash = (await this.users.byEmail(user.email))?.password ?? null;
    if (!(await verifyPassword(current, storedHash))) {
      throw new PilothouseError('FORBIDDEN', 'Current password is incorrect', {
        fields: [{ pointer: '/current', detail: 'Enter your current password.' }],
      });
    }
    checkPassword(password, user.email);
    await this.users.setPassword(user.id, await hashPassword(password), hashToken(token));
    await this.limiter.reset(request.address, user.email);
    return undefined;
  }

  /** @throws PilothouseError NOT_FOUND if the link is invalid */
  async reset({ token, password }: ResetPassword, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    const hash = hashToken(token);
    const user = await this.users.byReset(hash, this.clock.now());
    if (user) checkPassword(password, user.email);
    if (!user || !(await this.users.useReset(user.id, hash, await hashPassword(password)))) {
      throw new PilothouseError('NOT_FOUND', 'The link is used or expired. Ask an admin for a new one.');
    }
    return this.sessions.signIn(user, request, 200);
  }
}
