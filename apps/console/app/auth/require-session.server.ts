import type { MiddlewareFunction } from 'react-router';
import { requireSession } from '../api/api-client.server.ts';

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
