import { ApiError, createClient, unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError, type FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { roleIncludes, type Role } from '@pilothouse/contract/project/project-roles';
import { data, type RouterContextProvider, type MiddlewareFunction } from 'react-router';
import { forwardedHeaderNames } from '../../server/client-address.ts';
import { identityOf } from '../../server/session-cookies.ts';
import { responseTimeoutMs } from './response-timeout.server.ts';
import { renderContext } from './request-context.server.ts';
import { redirectTo } from './redirect.ts';

/** Arguments of loaders and actions that the API client needs. */
export interface RouteArgs {
  request: Request;
  context: Readonly<RouterContextProvider>;
}

/** A failed API call, as pages show it. */
export interface Failure {
  code: string;
  message: string;
  fields?: FieldError[];
}

/** Result of an API call, or its failure. */
export type ApiResult<Result> = { result: Result; failure?: undefined } | { result?: undefined; failure: Failure };

/** API client with the identity of a page request. Its calls are aborted when the browser disconnects. */
export function apiClientOf(
  { request, context }: RouteArgs,
  identity = identityOf(request.headers.get('cookie')),
): Client {
  const { apiUrl } = context.get(renderContext);
  const send: typeof fetch = async (input, init) => {
    const args = new Request(input, init);
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(responseTimeoutMs(args, apiUrl))]);
    try {
      return await fetch(args, { signal });
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      // Visitors without a session see this message, too: it does not contain the internal URL.
      throw new PilothouseError('UNAVAILABLE', 'The API does not answer. Try again.', { cause });
    }
  };
  const headers = { ...forwardedHeaders(request), ...identity };
  let token: Promise<string> | undefined;
  /** CSRF token of the session, fetched once. */
  const csrf = () =>
    (token ??= unwrapData(createClient({ url: apiUrl, headers, fetch: send }).api.GET('/v1/sessions/current')).then(
      (session) => session.csrf,
    ));
  return createClient({
    url: apiUrl,
    headers,
    async fetch(input, init) {
      const args = new Request(input, init);
      if (identity.cookie !== undefined && args.method !== 'GET') args.headers.set('pilothouse-csrf', await csrf());
      return send(args);
    },
  });
}

const forwardedHeaders = ({ headers }: Request) =>
  Object.fromEntries(
    forwardedHeaderNames.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])),
  );

/**
 * Calls the API for a page. Without a valid session it redirects to the sign-in page, which returns here.
 * @throws a router response: a redirect, or a Failure with the status of the problem
 */
export async function withApi<Result>(args: RouteArgs, call: (client: Client) => Promise<Result>): Promise<Result> {
  try {
    return await call(apiClientOf(args));
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'UNAUTHENTICATED') throw redirectToSignIn(args.request);
    if (error instanceof PilothouseError && isInvalidPath(error))
      throw data({ code: 'NOT_FOUND', message: '' }, { status: 404 });
    if (error instanceof PilothouseError) throw data(failureOf(error), { status: error.http });
    throw error;
  }
}

/** True if the address of the page contains an invalid id or name, so that the page cannot exist. */
const isInvalidPath = ({ code, fields = [] }: PilothouseError): boolean =>
  code === 'VALIDATION_FAILED' && fields.length > 0 && fields.every(({ pointer }) => pointer.startsWith('path/'));

/**
 * Rejects a request without a valid session or API key. Routes that do not call the API themselves call it before they
 * read the body.
 * @throws a router response: a redirect to the sign-in page
 */
export const requireSession = async (args: RouteArgs): Promise<void> => {
  await withApi(args, ({ api }) => api.GET('/v1/me'));
};

/**
 * Throws FORBIDDEN if the caller's role does not include `required`. The error page then shows "Access denied". Loaders
 * of forms call it, because the API checks the role only on submit.
 * @throws a router response: FORBIDDEN, or a redirect to the sign-in page
 */
export const requireRole = (args: RouteArgs, required: Role): Promise<void> =>
  withApi(args, async ({ api }) => {
    const { role } = await unwrapData(api.GET('/v1/me'));
    if (!roleIncludes(role, required))
      throw new PilothouseError('FORBIDDEN', `This page requires the role ${required}. Your role is ${role}.`);
  });

/** Calls the API for a form. A failure is returned, so that the page can show it next to the form. @throws a redirect to the sign-in page */
export async function tryApi<Result>(
  args: RouteArgs,
  call: (client: Client) => Promise<Result>,
): Promise<ApiResult<Result>> {
  try {
    return { result: await call(apiClientOf(args)) };
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'UNAUTHENTICATED') throw redirectToSignIn(args.request);
    if (error instanceof PilothouseError) return { failure: failureOf(error) };
    throw error;
  }
}

export const failureOf = (error: PilothouseError): Failure => ({
  code: error.code,
  message: error instanceof ApiError && error.fields?.length ? fieldMessages(error) : error.message,
  ...(error.fields && { fields: error.fields }),
});

const fieldMessages = ({ fields = [] }: ApiError) =>
  fields.map(({ pointer, detail }) => (pointer ? `${pointer}: ${detail}` : detail)).join('\n');

function redirectToSignIn(request: Request): Response {
  const { pathname, search } = new URL(request.url);
  const next = request.method === 'GET' && pathname !== '/' ? `?next=${encodeURIComponent(pathname + search)}` : '';
  return redirectTo(`/sign-in${next}`);
}

/** Paths whose forms need no session: they start or end one, or store a browser preference. */
const publicPaths = new Set(['/sign-in', '/sign-out', '/setup', '/invitation', '/reset-password', '/theme']);

/**
 * Rejects forms without a session before their body is read, except for public paths. Loaders check their session
 * through the API.
 * @throws a redirect to the sign-in page
 */
export const requireSessionForForms: MiddlewareFunction<Response> = async ({ request, context }) => {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const path = new URL(request.url).pathname.replace(/\.data$/, '');
  if (!publicPaths.has(path)) await requireSession({ request, context });
};
