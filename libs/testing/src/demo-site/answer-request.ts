import type { IncomingMessage } from 'node:http';
import { readCookie, SESSION_COOKIE } from './data/accounts.data.ts';
import { problemPage } from './pages/problem.page.ts';
import { readForm } from './request-body.ts';
import { HttpProblem } from './site-problem.ts';
import { json, page, redirect, type Reply } from './site-responses.ts';
import { matchRoute, type MemberRequest, type Route, type SiteRequest, type SiteState } from './site-route.ts';

/** Turns a request into a reply; never throws. Page visits are recorded here, everything else by the pages. */
export async function answer(
  routes: readonly Route[],
  state: SiteState,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<Reply> {
  const request = toSiteRequest(state, incoming, signal);
  if (!request) return page(problemPage(null, 400, 'This address cannot be read.'), 400);
  const reading = request.method === 'HEAD' ? 'GET' : request.method;
  const { route, params, methods } = matchRoute(routes, reading, request.path);
  const reply = await attempt(request, () => run(route, methods, { ...request, params }, state));
  // HEAD requests (monitors, link checkers) and subresource requests are not visits.
  if (request.method === 'GET' && route?.shape !== 'data') request.record('visit', { status: reply.status });
  return reply;
}

async function attempt(request: SiteRequest, act: () => Promise<Reply>): Promise<Reply> {
  try {
    return await act();
  } catch (error) {
    const problem = error instanceof HttpProblem ? error : new HttpProblem(500, 'Something went wrong on our side.');
    if (problem !== error && !request.signal.aborted) console.error(error);
    return refusal(request, problem);
  }
}

async function run(
  route: Route | undefined,
  methods: string[],
  request: SiteRequest,
  state: SiteState,
): Promise<Reply> {
  if (route?.access === 'public') return route.handle(request, state);
  if (!isMember(request)) return signIn(request);
  if (route) return route.handle(request, state);
  if (methods.length === 0) throw new HttpProblem(404, 'There is no page at this address.');
  const refusalReply = refusal(request, new HttpProblem(405, `This address answers ${methods.join(', ')} only.`));
  return { ...refusalReply, headers: { ...refusalReply.headers, allow: methods.join(', ') } };
}

function isMember(request: SiteRequest): request is MemberRequest {
  return request.session !== null;
}

/** Without a session a page redirects to the login form; a script receives a readable response. */
function signIn(request: SiteRequest): Reply {
  if (acceptsJson(request)) return json({ error: 'Log in first.' }, 401);
  // A form that was sent after its session ended cannot be repeated by a redirect: only pages are return targets.
  const back = request.method === 'GET' ? `?next=${encodeURIComponent(request.target)}` : '';
  return redirect(`/login${back}`);
}

function refusal(request: SiteRequest, problem: HttpProblem): Reply {
  if (acceptsJson(request)) return json({ error: problem.message }, problem.status);
  return page(problemPage(request.session, problem.status, problem.message), problem.status);
}

function acceptsJson(request: SiteRequest): boolean {
  return request.path.startsWith('/api/') || request.path === '/__ledger' || request.path === '/healthz';
}

function toSiteRequest(state: SiteState, incoming: IncomingMessage, signal: AbortSignal): SiteRequest | undefined {
  const target = incoming.url ?? '/';
  if (!URL.canParse(target, 'http://site')) return undefined;
  const url = new URL(target, 'http://site');
  const method = incoming.method ?? 'GET';
  const token = readCookie(incoming.headers.cookie, SESSION_COOKIE);
  const session = state.sessions.find(token) ?? null;
  const path = url.pathname;
  return {
    method,
    path,
    target: path + url.search,
    query: url.searchParams,
    params: {},
    headers: incoming.headers,
    session,
    token,
    signal,
    form: () => readForm(incoming),
    record: (kind, detail) => state.ledger.add({ method, path, session: session?.label ?? null, kind, detail }),
  };
}
