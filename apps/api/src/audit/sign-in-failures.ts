import { Inject } from '@nestjs/common';
import type { User } from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import { AuditStore, SignInAttemptStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { HttpRequest } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';

/** What such an entry says was done. */
export const SIGN_IN_FAILED = 'signInFailed';

/** Most entries about one account within so many seconds: whoever guesses does not fill the log. */
const MOST = 20;
const WINDOW = 900;

/**
 * Keeps whose password was wrong, for the admins of the account's projects. An address that nobody has is in the log alone: it belongs to
 * no project, and may be a password that was typed into the wrong field.
 */
export class SignInFailures {
  constructor(
    @Inject(AuditStore) private readonly store: Pick<AuditStore, 'add'>,
    @Inject(SignInAttemptStore) private readonly tries: Pick<SignInAttemptStore, 'count'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Comes back at once: how long the answer takes must not tell whether there is such an account. */
  record(user: User, request: HttpRequest): void {
    this.persist(user, request, this.clock.now()).catch((error: unknown) =>
      this.log.error(
        { user: user.id, error: String(error) },
        'A refused sign-in could not be written into the audit log',
      ),
    );
  }

  private async persist({ id, email }: User, { address, id: request }: HttpRequest, at: Date): Promise<void> {
    if ((await this.tries.count([{ key: hashToken(`refused:${id}`), max: MOST }], WINDOW)) > 0) return;
    const actor = { kind: 'user' as const, id, name: email };
    const entry = { project: null, actor, action: SIGN_IN_FAILED, target: null, details: {}, address, request };
    await this.store.add({ id: newId(), at, ...entry });
  }
}
