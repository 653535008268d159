import type { HttpRequestStep } from '@pilothouse/contract/workflow/parallel.schema';
import { parseRobots, type Robots } from '@pilothouse/core/politeness/robots-rules';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { sendHttpRequest, type RequestRoute } from './http-request.ts';

/** Milliseconds for a robots.txt. A step waits for it. */
const FETCH_TIMEOUT_MS = 3_000;
/** Milliseconds that a robots.txt is cached. RFC 9309, 2.4 allows a day. */
const CACHE_TTL_MS = 3_600_000;
/** Cached files of a worker. The oldest is evicted first. */
const MAX_CACHED = 500;
/** Characters of a path in an event. */
const MAX_PATH_CHARS = 200;

/** Accepts every status: a site without the file sets no rules. */
const ANY_STATUS = Array.from({ length: 400 }, (_, index) => 200 + index);

/** The robots.txt files of sites, shared by the runs of a worker. Null: the site has none. */
export class RobotsTxtCache {
  private readonly entries = new Map<string, { readonly text: Promise<string | null>; readonly expiresAt: number }>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param key URL and upstream proxy. A failed download is not cached */
  get(key: string, fetch: () => Promise<string | null>): Promise<string | null> {
    const entry = this.entries.get(key);
    if (entry && entry.expiresAt > this.clock.monotonic()) return entry.text;
    this.entries.delete(key);
    const text = fetch();
    this.entries.set(key, { text, expiresAt: this.clock.monotonic() + CACHE_TTL_MS });
    text.catch(() => this.entries.get(key)?.text === text && this.entries.delete(key));
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= MAX_CACHED) break;
      this.entries.delete(oldest);
    }
    return text;
  }
}

/** Reports each opened address that the robots.txt of its site disallows. Blocks nothing, and never fails a step. */
export class RobotsTxtNotifier {
  private readonly base: Pick<AttemptBase, 'assignment' | 'events' | 'cancellation' | 'stepNumber'>;
  private readonly cache: RobotsTxtCache;
  private readonly route: () => RequestRoute;
  private readonly reportedRules = new Set<string>();

  /** @param route of requests of the run. Its proxy is part of the cache key, because another network may get another file */
  constructor(base: RobotsTxtNotifier['base'], cache: RobotsTxtCache, route: () => RequestRoute) {
    this.base = base;
    this.cache = cache;
    this.route = route;
  }

  /** Called before an address is opened. */
  async check(url: URL): Promise<void> {
    const { assignment, events, stepNumber: step } = this.base;
    const route = this.route();
    const upstream = assignment.egress.run?.proxy?.server ?? '';
    const download = this.cache.get(JSON.stringify([url.origin, upstream]), () => this.fetch(url.origin, route));
    const text = await download.catch(() => null);
    if (text === null) return;
    const agents = agentsOf(route.userAgent);
    const robots: Robots = parseRobots(text, agents);
    const rule = robots.refuses(`${url.pathname}${url.search}`);
    if (rule === null || this.reportedRules.has(`${url.origin} ${rule}`)) return;
    this.reportedRules.add(`${url.origin} ${rule}`);
    const facts = { origin: url.origin, path: url.pathname.slice(0, MAX_PATH_CHARS), rule, agents, step };
    events.add('run.log', `robots.txt of ${url.host} disallows ${facts.path} (${rule})`, { facts }, 'warn');
  }

  private async fetch(origin: string, route: RequestRoute): Promise<string | null> {
    const { cancellation } = this.base;
    const step: HttpRequestStep = {
      action: 'http',
      url: `${origin}/robots.txt`,
      status: ANY_STATUS,
      maxBytes: 600_000,
    };
    const signal = AbortSignal.any([cancellation.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    const guard = () => cancellation.signal.throwIfAborted();
    const { value } = await sendHttpRequest(step, route, { signal, guard, reveal: async (text: string) => text });
    const { status, body } = value as { status: number; body: unknown };
    return status < 300 && typeof body === 'string' ? body : null;
  }
}

/** Agent names that rules may use: the products of the configured User-Agent, and Pilothouse. */
function agentsOf(userAgent: string | undefined): string[] {
  const products = userAgent?.match(/(?<![A-Za-z_-])[A-Za-z_-]+(?=\/|$|\s)/g) ?? [];
  return [...new Set([...products.filter((name) => name !== 'Mozilla'), 'Pilothouse'])];
}
