import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { OidcErrorReason } from '@pilothouse/contract/project/oidc-error-reasons';
import type { User } from '@pilothouse/contract/project/user.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { OidcConfig } from '@pilothouse/infra-config';
import { IdentityStore } from '@pilothouse/infra-db';
import { createOidcFlow, type OidcFlow, type OidcUser } from '@pilothouse/infra-oidc';
import type { Vault } from '@pilothouse/infra-vault';
import { HttpResponse } from '../../http/http-response.ts';
import type { HttpRequest } from '../../http/route-request.ts';
import { newId } from '../../common/new-id.ts';
import { CLOCK, CONSOLE_URL, LOG, OIDC_PROVIDER, VAULT } from '../../common/injection-tokens.ts';
import { clearPendingLogin, readPendingLogin, serializePendingLogin, type PendingLogin } from './oidc-login-cookie.ts';
import { mapClaimsToRoles } from './oidc-role-mapping.ts';
import { SessionService } from '../session.service.ts';

/** The single sign-on provider and the rules for its users. */
export interface OidcProvider extends Pick<
  OidcConfig,
  'displayName' | 'allowedEmailDomains' | 'roleMappings' | 'assumeEmailVerified'
> {
  readonly oidc: OidcFlow;
}

/** Creates the configured provider. Returns null if none is configured. */
export function createOidcProvider(config: OidcConfig | undefined, publicUrl: () => string): OidcProvider | null {
  if (!config) return null;
  const { redirectUrl = `${publicUrl()}/v1/sessions/current/oidc/callback`, ...rest } = config;
  return { ...rest, oidc: createOidcFlow({ ...rest, redirectUrl }) };
}

/** Signs users in by single sign-on. */
export class OidcService {
  constructor(
    @Inject(OIDC_PROVIDER) private readonly provider: OidcProvider | null,
    @Inject(IdentityStore) private readonly identities: IdentityStore,
    @Inject(SessionService) private readonly sessions: Pick<SessionService, 'create'>,
    @Inject(CONSOLE_URL) private readonly consoleUrl: string | undefined,
    @Inject(VAULT) private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Redirects a browser to the provider. */
  async start(next: string, { origin }: HttpRequest): Promise<HttpResponse<undefined>> {
    const { url, pending } = await this.requireProvider().oidc.start();
    const cookie = serializePendingLogin(this.vault, { ...pending, origin, next }, this.clock.now());
    return new HttpResponse<undefined>(302, null, { location: url, 'set-cookie': cookie });
  }

  /** Completes a login: signs the user in, or redirects to the sign-in page with the reason. */
  async finish(request: HttpRequest): Promise<HttpResponse<undefined>> {
    const { oidc } = this.requireProvider();
    const login = readPendingLogin(this.vault, request.headers.cookie, this.clock.now());
    if (!login)
      return this.redirectWithError(
        'failed',
        request,
        null,
        'The sign-in expired or was started in another browser. Start again.',
      );
    try {
      const user = await this.provisionUser(await oidc.finish(request.url.split('?')[1] ?? '', login));
      if (typeof user === 'string')
        return this.redirectWithError(user, request, login, 'This user has no access. Ask an admin.');
      const { cookie } = await this.sessions.create(user, request);
      return this.redirectToConsole(login.next, request, login, cookie);
    } catch (error) {
      if (!(error instanceof PilothouseError) || error.code !== 'UNAUTHENTICATED') throw error;
      return this.redirectWithError('failed', request, login, String(error.cause));
    }
  }

  private async provisionUser({
    issuer,
    subject,
    email,
    verified,
    name,
    claims,
  }: OidcUser): Promise<User | OidcErrorReason> {
    const { allowedEmailDomains, roleMappings, assumeEmailVerified } = this.requireProvider();
    if (email === null || !(verified ?? assumeEmailVerified)) return 'unverified';
    if (allowedEmailDomains.length > 0 && !allowedEmailDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
      return 'domain';
    const identity = { issuer, subject, email, name: (name ?? email).slice(0, 100) };
    const user = await this.identities.signInOrProvision(
      identity,
      mapClaimsToRoles(roleMappings, claims),
      newId(),
      this.clock.now(),
    );
    return user ?? 'uninvited';
  }

  private redirectWithError(
    reason: OidcErrorReason,
    request: HttpRequest,
    login: PendingLogin | null,
    detail: string,
  ): HttpResponse<undefined> {
    this.log.warn({ reason, address: request.address, detail }, 'SSO sign-in rejected');
    return this.redirectToConsole(`/sign-in?error=${reason}`, request, login);
  }

  /** Redirects to the origin where the login started, and deletes the login cookie. */
  private redirectToConsole(
    path: string,
    { origin }: HttpRequest,
    login: PendingLogin | null,
    ...cookies: string[]
  ): HttpResponse<undefined> {
    const headers = {
      location: `${this.consoleUrl ?? login?.origin ?? ''}${path}`,
      'set-cookie': [...cookies, clearPendingLogin(origin)],
    };
    return new HttpResponse<undefined>(302, null, headers);
  }

  private requireProvider(): OidcProvider {
    if (this.provider) return this.provider;
    throw new PilothouseError('NOT_FOUND', 'Single sign-on is not configured. Set PILOTHOUSE_OIDC_ISSUER.');
  }
}
