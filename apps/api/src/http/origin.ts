import type { FastifyRequest } from 'fastify';

/** Where a browser asked: scheme, host and port, as far as trusted proxies tell them. */
export const requestOrigin = ({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string =>
  `${protocol}://${host}`;
