import { createHmac } from 'node:crypto';
import { type Vault, constantTimeEqual, hashPassword, hashToken } from '@pilothouse/infra-vault';
import { Inject } from '@nestjs/common';
import { PilothouseError, type SessionView, type InitialSetup, type SetupStatus } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { ApiKeyStore, ProjectStore, UserStore } from '@pilothouse/infra-db';
import { requireSameOrigin } from './session-cookie.ts';
import { checkPassword } from '../members/password-rules.ts';
import { DEFAULT_PROJECT_SLUG } from '../common/installation.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { LOG, OIDC_PROVIDER, VAULT } from '../common/injection-tokens.ts';
import type { OidcProvider } from './oidc/oidc.service.ts';
import { SessionService } from './session.service.ts';

// Without what looks alike.
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

/**
 * The code with which the first user is made: 80 bits, the same at every replica and after every start, and another one for another database.
 * @param project id of the first project
 */
export function deriveSetupCode({ setUp }: Pick<Vault, 'setUp'>, project: string): string {
  const bytes = createHmac('sha256', setUp).update(project).digest().subarray(0, LENGTH);
  const text = Array.from(bytes, (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** Makes the first user of a house that has none. */
export class SetupService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'any' | 'createFirst'>,
    @Inject(ProjectStore) private readonly projects: Pick<ProjectStore, 'bySlug'>,
    @Inject(ApiKeyStore) private readonly keys: Pick<ApiKeyStore, 'authenticate'>,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(OIDC_PROVIDER) private readonly provider: OidcProvider | null,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async read(): Promise<SetupStatus> {
    const oidc = this.provider && { name: this.provider.displayName };
    return { needed: !(await this.users.any()), oidc: oidc ?? null };
  }

  /** @throws PilothouseError CONFLICT when there is a user; FORBIDDEN when the code is wrong */
  async setUp({ code, email, name, password }: InitialSetup, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    if (await this.users.any()) throw alreadySetUp();
    if (!(await this.isValidCode(code))) {
      throw new PilothouseError(
        'FORBIDDEN',
        `The code is wrong: take the set-up code that the log of the API shows, or an API key of the project ${DEFAULT_PROJECT_SLUG} with the role admin`,
      );
    }
    checkPassword(password, email);
    const user = { id: newId(), email, name, password: await hashPassword(password) };
    if (!(await this.users.createFirst(user))) throw alreadySetUp();
    this.log.info({ user: email, address: request.address }, 'The first user was made');
    return this.sessions.signIn(user, request, 201);
  }

  private async isValidCode(given: string): Promise<boolean> {
    const project = await this.projects.bySlug(DEFAULT_PROJECT_SLUG);
    const code = project && deriveSetupCode(this.vault, project.id);
    if (code && constantTimeEqual(given.toUpperCase(), code)) return true;
    // An admin of another project is not admin of them all.
    const found = await this.keys.authenticate(hashToken(given));
    return found?.key.role === 'admin' && found.project.id === project?.id;
  }
}

const alreadySetUp = () =>
  new PilothouseError('CONFLICT', 'There is a first user already: sign in, or ask for an invitation');
