import { lookup } from 'node:dns/promises';

/** Looks a name up. @returns its addresses, in the order in which they are to be tried @throws as node:dns */
export type Resolver = (host: string) => Promise<readonly string[]>;

/** Milliseconds that an answer is used: as long as Chromium uses what the system told it, which says no time to live. */
const KEPT_MS = 60_000;
/** Most names whose answers are kept; the oldest goes first. */
const MOST = 2000;

/** What the system says, `/etc/hosts` and search domains included. */
export const systemResolve: Resolver = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** Asks once for a name within a minute; what failed is asked again. What was asked is checked each time it is used. */
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
