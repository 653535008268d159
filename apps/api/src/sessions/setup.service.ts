import { Inject } from '@nestjs/common';
import { PilothouseError, type SessionView, type SetUp, type SetupView } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { KeyStore, ProjectStore, UserStore } from '@pilothouse/infra-db';
import { hashPassword, hashToken, sameSecret, type Vault } from '@pilothouse/infra-vault';
import { refuseOtherSites } from '../auth/forgery.ts';
import { checkPassword } from '../members/password.rules.ts';
import { FIRST_PROJECT } from '../first-project.ts';
import type { Answer } from '../http/answer.ts';
import type { RawRequest } from '../http/call.ts';
import { newId } from '../ids.ts';
import { LOG, OIDC, VAULT } from '../tokens.ts';
import type { Provider } from './oidc.service.ts';
import { Sessions } from '../auth/sessions.ts';
import { setUpCode } from './setup.code.ts';

/** Makes the first user of a house that has none. */
export class SetupService {
  constructor(
    @Inject(UserStore) private readonly users: Pick<UserStore, 'any' | 'createFirst'>,
    @Inject(ProjectStore) private readonly projects: Pick<ProjectStore, 'bySlug'>,
    @Inject(KeyStore) private readonly keys: Pick<KeyStore, 'use'>,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(OIDC) private readonly provider: Provider | null,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async read(): Promise<SetupView> {
    const oidc = this.provider && { name: this.provider.name };
    return { needed: !(await this.users.any()), oidc: oidc ?? null };
  }

  /** @throws PilothouseError CONFLICT when there is a user; FORBIDDEN when the code is wrong */
  async setUp({ code, email, name, password }: SetUp, request: RawRequest): Promise<Answer<SessionView>> {
    refuseOtherSites(request.headers, request.origin);
    if (await this.users.any()) throw taken();
    if (!(await this.opens(code))) {
      throw new PilothouseError(
        'FORBIDDEN',
        `The code is wrong: take the set-up code that the log of the API shows, or an API key of the project ${FIRST_PROJECT} with the role admin`,
      );
    }
    checkPassword(password, email);
    const user = { id: newId(), email, name, password: await hashPassword(password) };
    if (!(await this.users.createFirst(user))) throw taken();
    this.log.info({ user: email, address: request.address }, 'The first user was made');
    return this.sessions.open(user, request, 201);
  }

  private async opens(given: string): Promise<boolean> {
    const project = await this.projects.bySlug(FIRST_PROJECT);
    const code = project && setUpCode(this.vault, project.id);
    if (code && sameSecret(given.toUpperCase(), code)) return true;
    // An admin of another project is not admin of them all.
    const found = await this.keys.use(hashToken(given));
    return found?.key.role === 'admin' && found.project.id === project?.id;
  }
}

const taken = () => new PilothouseError('CONFLICT', 'There is a first user already: sign in, or ask for an invitation');
