import { setTimeout as delay } from 'node:timers/promises';
import type { SiteRequest } from './site-route.ts';

const MAX_DELAY = 10_000;

/** Milliseconds of `?ms=`, from 0 to 10 000. Invalid numbers yield the default. */
export function delayOf({ query }: Pick<SiteRequest, 'query'>, usual: number): number {
  const wanted = Number(query.get('ms') || usual);
  return Number.isFinite(wanted) ? Math.min(Math.max(0, wanted), MAX_DELAY) : usual;
}

/** Delays the response to simulate a slow server. The wait ends early when the client disconnects. */
export async function delayResponse(request: Pick<SiteRequest, 'query' | 'signal'>, usual: number): Promise<number> {
  const ms = delayOf(request, usual);
  await delay(ms, undefined, { signal: request.signal });
  return ms;
}
