import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import * as client from 'openid-client';

/** An OpenID Connect provider and the client registration. */
export interface OidcFlowOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Requested scopes, separated by spaces. Contains `openid`. */
  readonly scopes: string;
  /** Redirect URI of the client. */
  readonly redirectUrl: string;
}

/** State of an authorization request until the redirect. Secret: with it and the response anyone can sign in. */
export interface PendingAuthorization {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The user as the provider reports it. */
export interface OidcUser {
  readonly issuer: string;
  /** Permanent identifier of the user at the provider. */
  readonly subject: string;
  readonly email: string | null;
  /** True if the email address is verified. Null: the provider does not report it. */
  readonly verified: boolean | null;
  readonly name: string | null;
  /** All claims about the user. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface OidcFlow {
  /** Creates an authorization request. @throws PilothouseError UNAVAILABLE if the provider does not respond */
  start(): Promise<{ url: string; pending: PendingAuthorization }>;
  /**
   * Exchanges the redirect for the user.
   * @param query query string of the redirect
   * @throws PilothouseError UNAUTHENTICATED if the provider rejects it or it does not match `pending`; UNAVAILABLE
   */
  finish(query: string, pending: PendingAuthorization): Promise<OidcUser>;
}

/** Deadline of a request to the provider, in seconds. */
const TIMEOUT_SECONDS = 10;

/** Milliseconds that the provider's metadata is cached. Providers rotate keys and change endpoints. */
const DISCOVERY_TTL_MS = 3_600_000;

/** Signs users in by authorization code with PKCE. @param now milliseconds of a clock that does not jump */
export function createOidcFlow(options: OidcFlowOptions, now: () => number = () => performance.now()): OidcFlow {
  let cached: { configuration: Promise<client.Configuration>; readAt: number } | undefined;
  const provider = (): Promise<client.Configuration> => {
    if (cached && now() - cached.readAt < DISCOVERY_TTL_MS) return cached.configuration;
    const entry = { configuration: discover(options), readAt: now() };
    cached = entry;
    // A failed discovery is repeated by the next call.
    entry.configuration.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.configuration;
  };
  return {
    async start() {
      const verifier = client.randomPKCECodeVerifier();
      const pending = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(await provider(), {
        redirect_uri: options.redirectUrl,
        scope: options.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: pending.state,
        nonce: pending.nonce,
      });
      return { url: url.href, pending };
    },
    async finish(query, { state, nonce, verifier }) {
      const configuration = await provider();
      const url = new URL(options.redirectUrl);
      url.search = query;
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        const tokens = await client.authorizationCodeGrant(configuration, url, checks);
        return userOf(configuration, tokens.access_token, tokens.claims());
      } catch (error) {
        throw signInError(error);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcFlowOptions): Promise<client.Configuration> {
  const url = new URL(issuer);
  // HTTP without TLS is allowed only if the configured issuer uses it.
  const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  try {
    return await client.discovery(url, clientId, clientSecret, undefined, { execute, timeout: TIMEOUT_SECONDS });
  } catch (error) {
    throw new PilothouseError('UNAVAILABLE', `${url.host} did not answer as an OpenID Connect provider`, {
      cause: error,
    });
  }
}

/** Builds the user from the ID token and the userinfo endpoint, if the provider has one. */
async function userOf(
  configuration: client.Configuration,
  accessToken: string,
  token: client.IDToken | undefined,
): Promise<OidcUser> {
  if (!token) throw new PilothouseError('UNAUTHENTICATED', 'The sign-in provider sent no ID token');
  const userInfo = configuration.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(configuration, accessToken, token.sub)
    : {};
  const claims: Record<string, unknown> = { ...userInfo, ...token };
  const text = (name: string) => (typeof claims[name] === 'string' && claims[name] !== '' ? claims[name] : null);
  const verified = claims['email_verified'];
  return {
    issuer: token.iss,
    subject: token.sub,
    email: text('email')?.trim().toLowerCase() ?? null,
    // Some providers send a string.
    verified: verified === undefined ? null : verified === true || verified === 'true',
    name: text('name') ?? text('preferred_username'),
    claims,
  };
}

/** Maps network errors to UNAVAILABLE and all others to UNAUTHENTICATED. */
function signInError(error: unknown): PilothouseError {
  if (error instanceof PilothouseError) return error;
  const isNetworkError = error instanceof TypeError || (error instanceof Error && /Timeout|Abort/.test(error.name));
  return isNetworkError
    ? new PilothouseError('UNAVAILABLE', 'The sign-in provider is not responding. Try again.', { cause: error })
    : new PilothouseError('UNAUTHENTICATED', 'The sign-in provider did not confirm the identity', { cause: error });
}
