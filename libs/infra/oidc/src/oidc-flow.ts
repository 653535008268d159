import { PilothouseError } from '@pilothouse/contract';
import * as client from 'openid-client';

/** A provider, and who we are to it. */
export interface OidcFlowOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What is asked for, with spaces between; `openid` is among it. */
  readonly scopes: string;
  /** Where the provider sends browsers back to. */
  readonly redirectUrl: string;
}

/** What has to be kept until the browser is back; whoever has it and the answer gets in. */
export interface PendingAuthorization {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Whom the provider says it is. */
export interface OidcUser {
  readonly issuer: string;
  /** Who it is to the provider, for ever. */
  readonly subject: string;
  readonly email: string | null;
  /** Whether the address is the user's; null: the provider does not say. */
  readonly verified: boolean | null;
  readonly name: string | null;
  /** All that is said of the user. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface OidcFlow {
  /** Where to send a browser, and what to keep meanwhile. @throws PilothouseError UNAVAILABLE when the provider does not answer */
  start(): Promise<{ url: string; started: PendingAuthorization }>;
  /**
   * Who it is that came back.
   * @param query of the address that the browser came back to
   * @throws PilothouseError UNAUTHENTICATED when the provider refuses, or the answer is not to what was started; UNAVAILABLE
   */
  finish(query: string, started: PendingAuthorization): Promise<OidcUser>;
}

/** Seconds that an answer of the provider may take. */
const ANSWER_SECONDS = 10;

/** Milliseconds after which it is looked anew where the provider has what: it changes its keys, and sometimes its addresses. */
const KNOWN_MS = 3_600_000;

/** Signs users in by authorization code with PKCE. @param now milliseconds of a clock that does not jump */
export function createOidcFlow(options: OidcFlowOptions, now: () => number = () => performance.now()): OidcFlow {
  let known: { found: Promise<client.Configuration>; at: number } | undefined;
  const provider = (): Promise<client.Configuration> => {
    if (known && now() - known.at < KNOWN_MS) return known.found;
    const asked = { found: discover(options), at: now() };
    known = asked;
    // What failed is asked again by the next one.
    asked.found.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.found;
  };
  return {
    async start() {
      const verifier = client.randomPKCECodeVerifier();
      const started = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(await provider(), {
        redirect_uri: options.redirectUrl,
        scope: options.scopes,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: started.state,
        nonce: started.nonce,
      });
      return { url: url.href, started };
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
        throw refusal(error);
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcFlowOptions): Promise<client.Configuration> {
  const url = new URL(issuer);
  // Without TLS only on purpose, by the address that was configured.
  const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  try {
    return await client.discovery(url, clientId, clientSecret, undefined, { execute, timeout: ANSWER_SECONDS });
  } catch (error) {
    throw new PilothouseError('UNAVAILABLE', `The sign-in at ${url.host} does not answer as OpenID Connect`, {
      cause: error,
    });
  }
}

/** Of the token, and of what the provider tells besides when the token says little. */
async function userOf(
  configuration: client.Configuration,
  accessToken: string,
  token: client.IDToken | undefined,
): Promise<OidcUser> {
  if (!token) throw new PilothouseError('UNAUTHENTICATED', 'The provider sent no token of who it is');
  const more = configuration.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(configuration, accessToken, token.sub)
    : {};
  const claims: Record<string, unknown> = { ...more, ...token };
  const text = (name: string) => (typeof claims[name] === 'string' && claims[name] !== '' ? claims[name] : null);
  const verified = claims['email_verified'];
  return {
    issuer: token.iss,
    subject: token.sub,
    email: text('email')?.trim().toLowerCase() ?? null,
    // Some providers say it as a text.
    verified: verified === undefined ? null : verified === true || verified === 'true',
    name: text('name') ?? text('preferred_username'),
    claims,
  };
}

/** What of a failure is the network's is worth another try, everything else is not. */
function refusal(error: unknown): PilothouseError {
  if (error instanceof PilothouseError) return error;
  const isAway = error instanceof TypeError || (error instanceof Error && /Timeout|Abort/.test(error.name));
  return isAway
    ? new PilothouseError('UNAVAILABLE', 'The provider of the sign-in does not answer', { cause: error })
    : new PilothouseError('UNAUTHENTICATED', 'The provider did not confirm who it is', { cause: error });
}
