import { lookup } from 'node:dns/promises';

/**
 * Looks a name up.
 * @returns its addresses in the order of connection attempts
 * @throws the error of node:dns
 */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** Lifetime of a cached answer in milliseconds. Chromium uses the same for system lookups, which return no TTL. */
const KEPT_MS = 60_000;
/** Maximum number of cached names; the oldest is evicted first. */
const MOST = 2000;

/** Looks a name up with the system resolver, including `/etc/hosts` and search domains. */
export const systemResolve: Resolver = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** Looks each name up at most once a minute. Failures are not cached. Callers check the addresses at every use. */
export function cacheResolver(resolve: Resolver, now: () => number): Resolver {
  const known = new Map<string, { answer: Promise<readonly string[]>; until: number }>();
  return (host) => {
    const found = known.get(host);
    if (found && found.until > now()) return found.answer;
    known.delete(host);
    const answer = resolve(host);
    known.set(host, { answer, until: now() + KEPT_MS });
    answer.catch(() => known.get(host)?.answer === answer && known.delete(host));
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return answer;
  };
}
