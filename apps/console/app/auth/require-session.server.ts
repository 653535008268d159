import type { MiddlewareFunction } from 'react-router';
import { requireSession } from '../api/api-client.server.ts';

/** Paths whose forms lead to a session, end one, or keep a preference of the browser. */
const publicPaths = new Set(['/sign-in', '/sign-out', '/setup', '/invitation', '/reset-password', '/theme']);

/**
 * Refuses every form of a stranger before its body is read, except those of public paths. Loaders ask the API themselves.
 * @throws a redirect to the sign-in
 */
export const requireSessionForForms: MiddlewareFunction<Response> = async ({ request, context }) => {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const path = new URL(request.url).pathname.replace(/\.data$/, '');
  if (!publicPaths.has(path)) await requireSession({ request, context });
};
