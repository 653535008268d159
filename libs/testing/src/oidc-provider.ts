import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdapterFactory, AdapterPayload, default as Provider } from 'oidc-provider';

const ANY_REDIRECT_URL = 'http://127.0.0.1/any';

/** A real OpenID Connect provider that signs every visitor in with `claims`. */
export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Claims of the signed-in user; `sub` identifies the user. */
  claims: Record<string, unknown> & { sub: string };
  close(): Promise<void>;
}

/**
 * @param redirectUrl allowed redirect URI; undefined: any, because the port of the client is unknown before it starts
 */
export async function startProvider(redirectUrl = ANY_REDIRECT_URL): Promise<TestProvider> {
  let handle = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['pilothouse', randomBytes(24).toString('hex')];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const testProvider: TestProvider = {
    issuer,
    clientId,
    clientSecret,
    claims: { sub: 'test-user' },
    close: () => stop(server),
  };
  // Loaded on demand, because it is slow.
  const { default: OidcProvider } = await import('oidc-provider');
  const provider: Provider = new OidcProvider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    adapter: storeIn(new Map()),
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/enter/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => testProvider.claims }),
    // Skips the consent page.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session } = oidc;
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  });
  if (redirectUrl === ANY_REDIRECT_URL) provider.Client.prototype.redirectUriAllowed = () => true;
  const answer = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/enter/')) return void answer(request, response);
    void provider.interactionFinished(request, response, {
      login: { accountId: testProvider.claims.sub, remember: false },
    });
  };
  return testProvider;
}

/** Storage of the provider by kind and id. Explicit, because the provider warns about its default. */
function storeIn(payloads: Map<string, AdapterPayload>): AdapterFactory {
  return (kind) => {
    const keyOf = (id: string) => `${kind}:${id}`;
    const find = (has: (payload: AdapterPayload) => boolean) =>
      [...payloads].find(([key, payload]) => key.startsWith(keyOf('')) && has(payload))?.[1];
    return {
      upsert: async (id, payload) => void payloads.set(keyOf(id), payload),
      find: async (id) => payloads.get(keyOf(id)),
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode),
      consume: async (id) =>
        void payloads.set(keyOf(id), { ...payloads.get(keyOf(id)), consumed: Math.floor(Date.now() / 1000) }),
      destroy: async (id) => void payloads.delete(keyOf(id)),
      revokeByGrantId: async (grant) => {
        for (const [key, { grantId }] of payloads) if (grantId === grant) payloads.delete(key);
      },
    };
  };
}

const stop = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Follows redirects between servers as a browser does, with cookies for each. */
export interface OidcClient {
  /**
   * Follows redirects until one leads outside `within`.
   * @returns its target, and all responses
   */
  follow(url: string, within: readonly string[]): Promise<{ location: string; answers: Response[] }>;
  /** Cookies by origin, as a `Cookie` header. */
  cookies(origin: string): string;
}

/** Creates a client that follows redirects and stores cookies. */
export function createOidcClient(): OidcClient {
  const jars = new Map<string, Map<string, string>>();
  const cookies = (origin: string) =>
    [...(jars.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    cookies,
    async follow(url, within) {
      const answers: Response[] = [];
      for (let next = url; ;) {
        const { origin } = new URL(next);
        const answer = await fetch(next, { redirect: 'manual', headers: { cookie: cookies(origin) } });
        await answer.arrayBuffer();
        answers.push(answer);
        const jar = jars.get(origin) ?? new Map<string, string>();
        jars.set(origin, jar);
        for (const cookie of answer.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          if (value === '') jar.delete(name);
          else jar.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`${next} answered ${answer.status} without a redirect`);
        next = new URL(location, next).href;
        if (answers.length > 20) throw new Error(`Too many redirects, the last one to ${next}`);
        if (!within.some((start) => next.startsWith(start))) return { location, answers };
      }
    },
  };
}
