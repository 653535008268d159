import { Inject } from '@nestjs/common';
import { PilothouseError, type OidcRefusal, type User } from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import type { OidcConfig } from '@pilothouse/infra-config';
import { IdentityStore } from '@pilothouse/infra-db';
import { createOidc, type Oidc, type OidcUser } from '@pilothouse/infra-oidc';
import type { Vault } from '@pilothouse/infra-vault';
import { Answer } from '../http/answer.ts';
import type { RawRequest } from '../http/call.ts';
import { newId } from '../ids.ts';
import { CLOCK, CONSOLE_URL, LOG, OIDC, VAULT } from '../tokens.ts';
import { forgetBegun, readBegun, writeBegun, type Begun } from './oidc.cookie.ts';
import { rolesOf } from './oidc.roles.ts';
import { Sessions } from '../auth/sessions.ts';

/** Where users sign in besides, and who of them may get in. */
export interface Provider extends Pick<OidcConfig, 'name' | 'domains' | 'roles' | 'trustEmail'> {
  readonly oidc: Oidc;
}

/** The provider of the settings; null: there is none. */
export function openOidc(config: OidcConfig | undefined, publicUrl: () => string): Provider | null {
  if (!config) return null;
  const { redirectUrl = `${publicUrl()}/v1/session/oidc/callback`, ...rest } = config;
  return { ...rest, oidc: createOidc({ ...rest, redirectUrl }) };
}

/** Signs users in who sign in elsewhere. */
export class OidcService {
  constructor(
    @Inject(OIDC) private readonly provider: Provider | null,
    @Inject(IdentityStore) private readonly identities: IdentityStore,
    @Inject(Sessions) private readonly sessions: Pick<Sessions, 'start'>,
    @Inject(CONSOLE_URL) private readonly consoleUrl: string | undefined,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Sends a browser to the provider. */
  async start(next: string, { origin }: RawRequest): Promise<Answer<undefined>> {
    const { url, started } = await this.configured().oidc.start();
    const cookie = writeBegun(this.vault, { ...started, origin, next }, this.clock.now());
    return new Answer<undefined>(302, null, { location: url, 'set-cookie': cookie });
  }

  /** Lets in who comes back, or sends them to the page to sign in, with the reason. */
  async finish(request: RawRequest): Promise<Answer<undefined>> {
    const { oidc } = this.configured();
    const begun = readBegun(this.vault, request.headers.cookie, this.clock.now());
    if (!begun) return this.refuse('failed', request, null, 'This browser did not begin to sign in, or too long ago');
    try {
      const user = await this.enter(await oidc.finish(request.url.split('?')[1] ?? '', begun));
      if (typeof user === 'string') return this.refuse(user, request, begun, 'The user may not get in');
      const { cookie } = await this.sessions.start(user, request);
      return this.go(begun.next, request, begun, cookie);
    } catch (error) {
      if (!(error instanceof PilothouseError) || error.code !== 'UNAUTHENTICATED') throw error;
      return this.refuse('failed', request, begun, String(error.cause));
    }
  }

  private async enter({ issuer, subject, email, verified, name, claims }: OidcUser): Promise<User | OidcRefusal> {
    const { domains, roles, trustEmail } = this.configured();
    if (email === null || !(verified ?? trustEmail)) return 'unverified';
    if (domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf('@') + 1))) return 'domain';
    const identity = { issuer, subject, email, name: (name ?? email).slice(0, 100) };
    const user = await this.identities.enter(identity, rolesOf(roles, claims), newId(), this.clock.now());
    return user ?? 'uninvited';
  }

  private refuse(reason: OidcRefusal, request: RawRequest, begun: Begun | null, why: string): Answer<undefined> {
    this.log.warn({ reason, address: request.address, why }, 'Somebody who signed in elsewhere did not get in');
    return this.go(`/sign-in?refused=${reason}`, request, begun);
  }

  /** To where the browser began; what was begun is over either way. */
  private go(path: string, { origin }: RawRequest, begun: Begun | null, ...cookies: string[]): Answer<undefined> {
    const headers = {
      location: `${this.consoleUrl ?? begun?.origin ?? ''}${path}`,
      'set-cookie': [...cookies, forgetBegun(origin)],
    };
    return new Answer<undefined>(302, null, headers);
  }

  private configured(): Provider {
    if (this.provider) return this.provider;
    throw new PilothouseError('NOT_FOUND', 'Nobody signs in elsewhere here: PILOTHOUSE_OIDC_ISSUER is not set');
  }
}
