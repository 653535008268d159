import { createHmac } from 'node:crypto';
import { type Vault, constantTimeEqual, hashPassword, hashToken } from '@pilothouse/infra-vault';
import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { SessionView, InitialSetup, SetupStatus } from '@pilothouse/contract/project/user.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { ApiKeyStore, ProjectStore, UserStore } from '@pilothouse/infra-db';
import { requireSameOrigin } from './session-cookie.ts';
import { checkPassword } from './password-rules.ts';
import { DEFAULT_PROJECT_SLUG } from '../common/installation.ts';
import type { HttpResponse } from '../http/http-response.ts';
import type { HttpRequest } from '../http/route-request.ts';
import { newId } from '../common/new-id.ts';
import { LOG, OIDC_PROVIDER, VAULT } from '../common/injection-tokens.ts';
import type { OidcProvider } from './oidc/oidc.service.ts';
import { SessionService } from './session.service.ts';

/** Without letters and digits that look alike. */
const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 16;

/**
 * Derives the code for the creation of the first user: 80 bits, equal at every replica and after every restart, different for each database.
 * @param project id of the default project
 */
export function deriveSetupCode({ setUp }: Pick<Vault, 'setUp'>, project: string): string {
  const bytes = createHmac('sha256', setUp).update(project).digest().subarray(0, CODE_LENGTH);
  const text = Array.from(bytes, (byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length)).join('');
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** Creates the first user of an installation. */
export class SetupService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'hasUsers' | 'createFirst'>,
    @Inject(ProjectStore) private readonly projects: Pick<ProjectStore, 'bySlug'>,
    @Inject(ApiKeyStore) private readonly keys: Pick<ApiKeyStore, 'authenticate'>,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(SessionService) private readonly sessions: SessionService,
    @Inject(OIDC_PROVIDER) private readonly provider: OidcProvider | null,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async read(): Promise<SetupStatus> {
    const oidc = this.provider && { name: this.provider.displayName };
    return { needed: !(await this.users.hasUsers()), oidc: oidc ?? null };
  }

  /** @throws PilothouseError CONFLICT if a user exists; FORBIDDEN for a wrong code */
  async setUp({ code, email, name, password }: InitialSetup, request: HttpRequest): Promise<HttpResponse<SessionView>> {
    requireSameOrigin(request.headers, request.origin);
    if (await this.users.hasUsers()) throw alreadySetUp();
    if (!(await this.isValidCode(code))) {
      throw new PilothouseError(
        'FORBIDDEN',
        `The setup code is incorrect. Use the setup code from the log of the API, or an API key of the project ${DEFAULT_PROJECT_SLUG} with the role admin.`,
      );
    }
    checkPassword(password, email);
    const user = { id: newId(), email, name, password: await hashPassword(password) };
    if (!(await this.users.createFirst(user))) throw alreadySetUp();
    this.log.info({ user: email, address: request.address }, 'first user created');
    return this.sessions.signIn(user, request, 201);
  }

  private async isValidCode(input: string): Promise<boolean> {
    const project = await this.projects.bySlug(DEFAULT_PROJECT_SLUG);
    const code = project && deriveSetupCode(this.vault, project.id);
    if (code && constantTimeEqual(input.toUpperCase(), code)) return true;
    // An admin key of another project is not accepted.
    const authenticated = await this.keys.authenticate(hashToken(input));
    return authenticated?.key.role === 'admin' && authenticated.project.id === project?.id;
  }
}

const alreadySetUp = () =>
  new PilothouseError('CONFLICT', 'The first user exists already. Sign in, or ask for an invitation.');
