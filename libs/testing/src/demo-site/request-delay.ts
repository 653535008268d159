import { setTimeout as delay } from 'node:timers/promises';
import type { SiteRequest } from './site-route.ts';

const MAX_DELAY_MS = 10_000;

/** Milliseconds of `?ms=`, from 0 to 10 000. Invalid numbers yield the default. */
export function delayOf({ query }: Pick<SiteRequest, 'query'>, defaultMs: number): number {
  const requestedMs = Number(query.get('ms') || defaultMs);
  return Number.isFinite(requestedMs) ? Math.min(Math.max(0, requestedMs), MAX_DELAY_MS) : defaultMs;
}

/** Delays the response to simulate a slow server. The wait ends early when the client disconnects. */
export async function delayResponse(
  request: Pick<SiteRequest, 'query' | 'signal'>,
  defaultMs: number,
): Promise<number> {
  const ms = delayOf(request, defaultMs);
  await delay(ms, undefined, { signal: request.signal });
  return ms;
}
