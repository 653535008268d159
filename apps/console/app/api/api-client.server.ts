import { ApiError, createClient, unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError, type FieldError } from '@pilothouse/contract';
import { data, type RouterContextProvider } from 'react-router';
import { forwardedHeaderNames } from '../../server/client-address.ts';
import { identityOf } from '../../server/session-cookies.ts';
import { renderContext } from './request-context.server.ts';
import { redirectTo } from '../auth/redirect.ts';

/** Milliseconds that the API may take for one question of a page. */
const RESPONSE_TIMEOUT_MS = 20_000;

/** What loaders and actions are given. */
export interface RouteArgs {
  request: Request;
  context: Readonly<RouterContextProvider>;
}

/** What went wrong, for a page. */
export interface Failure {
  code: string;
  message: string;
  fields?: FieldError[];
}

/** What became of work: what it gave, or what went wrong. */
export type ApiResult<Result> = { result: Result; failure?: undefined } | { result?: undefined; failure: Failure };

/** The API, asked as whoever made the request; it is left when he goes. */
export function apiClientOf(
  { request, context }: RouteArgs,
  identity = identityOf(request.headers.get('cookie')),
): Client {
  const { apiUrl } = context.get(renderContext);
  const send: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([request.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]) });
  const headers = { ...forwardedHeaders(request), ...identity };
  let token: Promise<string> | undefined;
  /** What a session has to say with each change, asked for once. */
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
 * Does work with the API for a page. Whoever is not signed in goes to sign in, and comes back here.
 * @throws an answer for the router: a redirect, or a Failure with the status of the problem
 */
export async function withApi<Result>(args: RouteArgs, call: (client: Client) => Promise<Result>): Promise<Result> {
  try {
    return await call(apiClientOf(args));
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'UNAUTHENTICATED') throw redirectToSignIn(args.request);
    if (error instanceof PilothouseError) throw data(failureOf(error), { status: error.http });
    throw error;
  }
}

/**
 * Refuses a request without a valid session or API key. For routes that do not call the API themselves: call it before reading the body.
 * @throws an answer for the router: a redirect to the sign-in
 */
export const requireSession = async (args: RouteArgs): Promise<void> => {
  await withApi(args, ({ api }) => api.GET('/v1/me'));
};

/** Does work with the API for a form: what is wrong comes back as a value, beside the form. @throws a redirect to the sign-in */
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
