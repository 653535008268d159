import type { HttpRequestStep } from '@pilothouse/contract';
import { parseRobots, type Clock, type Robots } from '@pilothouse/core';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import { sendHttpRequest, type RequestRoute } from './http-request.ts';

/** Milliseconds for a robots.txt: a step waits for it. */
const FETCH_MS = 3_000;
/** Milliseconds that a robots.txt is used; RFC 9309, 2.4 asks for no more than a day. */
const KEPT_MS = 3_600_000;
/** Most that are kept by a worker; the oldest goes first. */
const MOST = 500;
/** Characters of a path that a note shows. */
const SHOWN = 200;

/** A site without the file answers what it likes: it says nothing. */
const ANY_STATUS = Array.from({ length: 400 }, (_, index) => 200 + index);

/** What sites say, kept by a worker over its runs. Null: the site says nothing. */
export class RobotsTxtCache {
  private readonly known = new Map<string, { readonly text: Promise<string | null>; readonly until: number }>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param key what is fetched, and how; what cannot be fetched is tried again the next time */
  get(key: string, fetch: () => Promise<string | null>): Promise<string | null> {
    const found = this.known.get(key);
    if (found && found.until > this.clock.monotonic()) return found.text;
    this.known.delete(key);
    const text = fetch();
    this.known.set(key, { text, until: this.clock.monotonic() + KEPT_MS });
    text.catch(() => this.known.get(key)?.text === text && this.known.delete(key));
    for (const oldest of this.known.keys()) {
      if (this.known.size <= MOST) break;
      this.known.delete(oldest);
    }
    return text;
  }
}

export interface RobotsParts extends Pick<RequestRoute, 'proxy' | 'trustedAuthorities'> {
  readonly known: RobotsTxtCache;
  readonly events: Pick<EventBuffer, 'add'>;
  /** The proxy that the run goes through, when it has one: another network may have another answer. */
  readonly upstream: string;
  /** How the run calls itself; undefined: as Chromium does. */
  userAgent(): string | undefined;
  readonly signal: AbortSignal;
  /** Number of the step at work. */
  step(): number | null;
}

/** Says when the robots.txt of a site asks not to open what a step opens. It refuses nothing, and fails nothing. */
export class RobotsTxtNotifier {
  private readonly parts: RobotsParts;
  private readonly told = new Set<string>();

  constructor(parts: RobotsParts) {
    this.parts = parts;
  }

  /** To be called before an address is opened. */
  async check(url: URL): Promise<void> {
    const { known, events, upstream, step } = this.parts;
    const userAgent = this.parts.userAgent();
    const fetched = known.get(JSON.stringify([url.origin, upstream]), () => this.fetch(url.origin, userAgent));
    const text = await fetched.catch(() => null);
    if (text === null) return;
    const agents = agentsOf(userAgent);
    const robots: Robots = parseRobots(text, agents);
    const rule = robots.refuses(`${url.pathname}${url.search}`);
    if (rule === null || this.told.has(`${url.origin} ${rule}`)) return;
    this.told.add(`${url.origin} ${rule}`);
    const facts = { origin: url.origin, path: url.pathname.slice(0, SHOWN), rule, agents, step: step() };
    events.add('run.log', `robots.txt of ${url.host} asks not to open ${facts.path} (${rule})`, { facts }, 'warn');
  }

  private async fetch(origin: string, userAgent: string | undefined): Promise<string | null> {
    const { proxy, trustedAuthorities, signal: attemptSignal } = this.parts;
    const step: HttpRequestStep = {
      action: 'http',
      url: `${origin}/robots.txt`,
      status: ANY_STATUS,
      maxBytes: 600_000,
    };
    const signal = AbortSignal.any([attemptSignal, AbortSignal.timeout(FETCH_MS)]);
    const context = { signal, guard: () => attemptSignal.throwIfAborted(), reveal: async (text: string) => text };
    const { value } = await sendHttpRequest(step, { proxy, trustedAuthorities, userAgent }, context);
    const { status, body } = value as { status: number; body: unknown };
    return status < 300 && typeof body === 'string' ? body : null;
  }
}

/** Names that a robots.txt may mean us by: the products of our User-Agent, when we say one of our own, and ours. */
function agentsOf(userAgent: string | undefined): string[] {
  const products = userAgent?.match(/(?<![A-Za-z_-])[A-Za-z_-]+(?=\/|$|\s)/g) ?? [];
  return [...new Set([...products.filter((name) => name !== 'Mozilla'), 'Pilothouse'])];
}
