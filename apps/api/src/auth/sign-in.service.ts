import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SessionView, SignIn } from '@pilothouse/contract/project/user.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { UserStore } from '@pilothouse/infra-db';
import { verifyPassword } from '@pilothouse/infra-vault';
import { SignInFailures } from '../audit/sign-in-failures.ts';
import { requireSameOrigin } from './session-cookie.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest } from '../http/route-request.ts';
import { LOG } from '../common/injection-tokens.ts';
import { SessionService } from './session.service.ts';
import { SignInLimiter } from './sign-in-limiter.ts';

/** Signs users in with e-mail address and password. */
export class SignInService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail'>,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(SignInLimiter) private readonly limits: SignInLimiter,
    @Inject(SignInFailures) private readonly failures: Pick<SignInFailures, 'record'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError UNAUTHENTICATED, with the same message and timing for an unknown user and a wrong password */
  async signIn({ email, password }: SignIn, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    const { address } = request;
    await this.limits.checkAttempt(address, email);
    const user = await this.users.byEmail(email);
    if (!(await verifyPassword(password, user?.password ?? null)) || !user) {
      if (user) this.failures.record(user, request);
      this.log.warn({ address, reason: 'bad credentials' }, 'sign-in rejected');
      throw new PilothouseError('UNAUTHENTICATED', 'The e-mail address or the password is incorrect');
    }
    await this.limits.reset(address, email);
    return this.sessions.signIn(user, request, 200);
  }
}
