import type { Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { data } from 'react-router';
import { apiPrefix } from '../../server/api-prefix.ts';
import { keyCookie, projectCookie, setCookie } from '../../server/session-cookies.ts';
import { apiClientOf, failureOf, type RouteArgs, type Failure } from '../api/api-client.server.ts';
import { nextOf, redirectTo } from '../api/redirect.ts';

/** Lifetime of the cookies with the API key and the selected project. */
const cookieSeconds = { key: 7 * 86_400, project: 31_536_000 };

const isSecure = (request: Request) => new URL(request.url).protocol === 'https:';

/** Response of an API operation that signs in: its cookies, and the projects of the user. */
interface SignInResponse {
  data?: { projects: readonly { id: string }[] };
  response: Response;
}

/** Signs in with an API operation and redirects. A failure is returned for the form. */
export async function signIn(args: RouteArgs, authenticate: (client: Client) => Promise<SignInResponse>) {
  const { request } = args;
  try {
    // Without an identity: an older session must not affect the sign-in.
    const answer = await authenticate(apiClientOf(args, {}));
    const headers = new Headers({ 'set-cookie': setCookie(keyCookie, '', 0, isSecure(request)) });
    for (const cookie of answer.response.headers.getSetCookie()) headers.append('set-cookie', cookie);
    const [project] = answer.data?.projects ?? [];
    if (project) headers.append('set-cookie', projectCookieHeader(request, project.id));
    return redirectTo(nextOf(request), { headers });
  } catch (error) {
    return failureResponse(error);
  }
}

/** Signs in with an API key after the API has accepted it. */
export async function signInWithKey(args: RouteArgs, key: string) {
  if (!/^ph_\w+$/.test(key)) {
    return data(
      { code: 'VALIDATION_FAILED', message: 'API keys start with ph_. Paste the complete key.' },
      { status: 400 },
    );
  }
  try {
    await apiClientOf(args, { authorization: `Bearer ${key}` }).api.GET('/v1/me');
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'UNAUTHENTICATED') {
      const message = 'API key not found, revoked or expired.';
      return data({ code: error.code, message }, { status: error.http });
    }
    return failureResponse(error);
  }
  const { request } = args;
  const cookie = setCookie(keyCookie, key, cookieSeconds.key, isSecure(request));
  return redirectTo(nextOf(request), { headers: { 'set-cookie': cookie } });
}

/** Redirects to the identity provider, and removes the cookie with the API key. */
export const redirectToProvider = (request: Request): Response =>
  redirectTo(`${apiPrefix}sessions/current/oidc?next=${encodeURIComponent(nextOf(request))}`, {
    headers: { 'set-cookie': setCookie(keyCookie, '', 0, isSecure(request)) },
  });

/** Cookie header that selects a project. @returns value of a `Set-Cookie` header */
export const projectCookieHeader = (request: Request, id: string): string =>
  setCookie(projectCookie, id, cookieSeconds.project, isSecure(request));

/** Ends the session and removes its cookies. */
export async function signOut(args: RouteArgs) {
  const headers = new Headers({ 'set-cookie': setCookie(keyCookie, '', 0, isSecure(args.request)) });
  // The session may have ended already.
  const signedOut = await apiClientOf(args)
    .api.DELETE('/v1/sessions/current')
    .catch(() => undefined);
  for (const cookie of signedOut?.response.headers.getSetCookie() ?? []) headers.append('set-cookie', cookie);
  return redirectTo('/sign-in', { headers });
}

function failureResponse(error: unknown) {
  if (!(error instanceof PilothouseError)) throw error;
  return data<Failure>(failureOf(error), { status: error.http });
}
