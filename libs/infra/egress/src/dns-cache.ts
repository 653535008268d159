import { lookup } from 'node:dns/promises';

/**
 * Resolves a host name.
 * @returns its addresses in the order of connection attempts
 * @throws the error of node:dns
 */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** Lifetime of a cached answer in milliseconds. Chromium uses the same for system lookups, which return no TTL. */
const CACHE_TTL_MS = 60_000;
/** Maximum number of cached names; the oldest is evicted first. */
const MAX_NAMES = 2000;

/** Looks a name up with the system resolver, including `/etc/hosts` and search domains. */
export const systemResolve: Resolver = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** Looks each name up at most once a minute. Failures are not cached. Callers check the addresses at every use. */
export function cacheResolver(resolve: Resolver, now: () => number): Resolver {
  const cache = new Map<string, { answer: Promise<readonly string[]>; expiresAt: number }>();
  return (host) => {
    const cached = cache.get(host);
    if (cached && cached.expiresAt > now()) return cached.answer;
    cache.delete(host);
    const answer = resolve(host);
    cache.set(host, { answer, expiresAt: now() + CACHE_TTL_MS });
    answer.catch(() => cache.get(host)?.answer === answer && cache.delete(host));
    for (const oldest of cache.keys()) {
      if (cache.size <= MAX_NAMES) break;
      cache.delete(oldest);
    }
    return answer;
  };
}
