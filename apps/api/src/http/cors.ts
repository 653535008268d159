import type { FastifyInstance } from 'fastify';

/** Methods and headers that a page of an allowed origin may send. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'authorization, content-type, accept, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, ' +
  'mcp-name, mcp-protocol-version, range, x-request-id';

/** Response headers that such a page may read. */
const RESPONSE_HEADERS =
  'content-disposition, etag, idempotency-replayed, link, location, retry-after, www-authenticate, x-request-id';

/** Seconds for which a browser remembers a preflight. */
const MAX_AGE_SECONDS = 600;

/**
 * Lets pages of these origins call the API with an API key: REST and event streams. Cookies stay excluded, because
 * `access-control-allow-credentials` is never sent. Other origins get no header, so that their browser refuses.
 */
export function enableCors(instance: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed: ReadonlySet<string> = new Set(origins);
  instance.addHook('onRequest', (request, reply, done) => {
    // Caches must not give the answer for one origin to another.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', RESPONSE_HEADERS);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return done();
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', REQUEST_HEADERS);
    reply.header('access-control-max-age', String(MAX_AGE_SECONDS));
    reply.code(204).send();
  });
}
