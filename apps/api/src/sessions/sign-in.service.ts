import { Inject } from '@nestjs/common';
import { PilothouseError, type SessionView, type SignIn } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { UserStore } from '@pilothouse/infra-db';
import { isPassword } from '@pilothouse/infra-vault';
import { RefusedSignIns } from '../audit/refused.sign-ins.ts';
import { refuseOtherSites } from '../auth/forgery.ts';
import type { Answer } from '../http/answer.ts';
import type { RawRequest } from '../http/call.ts';
import { LOG } from '../tokens.ts';
import { Sessions } from '../auth/sessions.ts';
import { TryLimits } from './try.limits.ts';

/** Signs users in by e-mail and password. */
export class SignInService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'byEmail'>,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(TryLimits) private readonly limits: TryLimits,
    @Inject(RefusedSignIns) private readonly refused: Pick<RefusedSignIns, 'note'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError UNAUTHENTICATED, the same and after the same time whether the user or the password is wrong */
  async signIn({ email, password }: SignIn, request: RawRequest): Promise<Answer<SessionView>> {
    refuseOtherSites(request.headers, request.origin);
    const { address } = request;
    await this.limits.count(address, email);
    const user = await this.users.byEmail(email);
    if (!(await isPassword(password, user?.password ?? null)) || !user) {
      if (user) this.refused.note(user, request);
      this.log.warn({ address }, 'Somebody did not get in: wrong e-mail or password');
      throw new PilothouseError('UNAUTHENTICATED', 'The e-mail address or the password is wrong');
    }
    await this.limits.succeeded(address, email);
    return this.sessions.open(user, request, 200);
  }
}
