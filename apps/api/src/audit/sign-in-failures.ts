import { Inject } from '@nestjs/common';
import type { UnroutedAuditAction } from '@pilothouse/contract/api/audit.routes';
import type { User } from '@pilothouse/contract/project/user.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { AuditStore, SignInAttemptStore } from '@pilothouse/infra-db';
import { hashToken } from '@pilothouse/infra-vault';
import type { HttpRequest } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';

/** Maximum entries about one account within the window, so that an attacker cannot fill the log. */
const MAX_ENTRIES = 20;
const WINDOW_SECONDS = 900;

/**
 * Records wrong passwords in the audit log, for the admins of the account's projects. Unknown e-mail addresses are only logged: they belong
 * to no project, and may be a password that was typed into the wrong field.
 */
export class SignInFailures {
  constructor(
    @Inject(AuditStore) private readonly store: Pick<AuditStore, 'add'>,
    @Inject(SignInAttemptStore) private readonly attempts: Pick<SignInAttemptStore, 'count'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Returns at once, so that the response time does not reveal whether the account exists. */
  record(user: User, request: HttpRequest): void {
    this.persist(user, request, this.clock.now()).catch((error: unknown) =>
      this.log.error({ user: user.id, error: String(error) }, 'rejected sign-in not written to the audit log'),
    );
  }

  private async persist({ id, email }: User, { address, id: request }: HttpRequest, failedAt: Date): Promise<void> {
    if ((await this.attempts.count([{ key: hashToken(`refused:${id}`), max: MAX_ENTRIES }], WINDOW_SECONDS)) > 0)
      return;
    const actor = { kind: 'user' as const, id, name: email };
    const entry = {
      project: null,
      actor,
      action: 'signInFailed' satisfies UnroutedAuditAction,
      target: null,
      details: {},
      address,
      request,
    };
    await this.store.add({ id: newId(), at: failedAt, ...entry });
  }
}
