import type { Politeness, Site, SiteLimit, SiteLimitKind, SiteLimitWait } from '@pilothouse/contract';
import { matchesAddress, matchesHost, parseAddress, parseHost, parseHostRule } from '../egress/host-rules.ts';

/** One limit as it stands at the moment in which a run asks. */
export interface LimitState {
  readonly requestsPerMinute: number | null;
  readonly maxConcurrentRuns: number | null;
  /** Milliseconds until the next page may be opened; 0: now. */
  readonly nextInMs: number;
  /** Other runs that have a place. */
  readonly inside: number;
  /** Whether the run has one. */
  readonly isInside: boolean;
  /** Other runs that came before and wait, by what they wait for. */
  readonly ahead: Readonly<Record<SiteLimitKind, number>>;
}

/** Whether a run may go, or what it waits for. */
export type VisitDecision =
  | { readonly go: true }
  | {
      readonly go: false;
      /** Which of the standings is in the way, and by what. */
      readonly at: number;
      readonly limit: SiteLimitKind;
      /** Milliseconds after which it asks again. */
      readonly waitMs: number;
      /** Runs that wait for the same and came before. */
      readonly ahead: number;
    };

/** Least milliseconds between two questions of a run. */
const SOON_MS = 20;
/** A place becomes free without a word: milliseconds after which the first who waits asks again, more for each before it, and most. */
const PLACE_MS = 200;
const BEHIND_MS = 50;
const PLACE_MOST_MS = 3_000;
/** Up to this a turn is waited for in one go; beyond, half of it and no longer than that, so that a turn nobody takes or a changed limit is noticed. */
const WHOLE_MS = 5_000;
const MOST_MS = 30_000;

/** Milliseconds between two pages. */
export const intervalMs = (requestsPerMinute: number): number => 60_000 / requestsPerMinute;

/**
 * Whether a run may open a page now: every limit has to allow it. Who waits is served in the order of coming, by each limit for itself,
 * so that nobody waits for somebody who waits for something else.
 */
export function decideVisit(standings: readonly LimitState[]): VisitDecision {
  for (const [at, { maxConcurrentRuns, inside, isInside, ahead }] of standings.entries()) {
    if (maxConcurrentRuns === null || isInside || inside + ahead.maxConcurrentRuns < maxConcurrentRuns) continue;
    const waitMs = Math.min(PLACE_MS + BEHIND_MS * ahead.maxConcurrentRuns, PLACE_MOST_MS);
    return { go: false, at, limit: 'maxConcurrentRuns', waitMs, ahead: ahead.maxConcurrentRuns };
  }
  for (const [at, { requestsPerMinute, nextInMs, ahead }] of standings.entries()) {
    if (requestsPerMinute === null || (nextInMs <= 0 && ahead.requestsPerMinute === 0)) continue;
    const turn = Math.max(0, nextInMs) + ahead.requestsPerMinute * intervalMs(requestsPerMinute);
    const waitMs = turn <= WHOLE_MS ? turn : Math.min(Math.max(WHOLE_MS, turn / 2), MOST_MS);
    return {
      go: false,
      at,
      limit: 'requestsPerMinute',
      waitMs: Math.ceil(Math.max(SOON_MS, waitMs)),
      ahead: ahead.requestsPerMinute,
    };
  }
  return { go: true };
}

/** A limit, and who set it. */
export interface EffectiveLimit extends SiteLimit {
  readonly by: SiteLimitWait['scope'];
}

/** What project and workflow say together. */
export interface Said {
  readonly project: Politeness | null;
  readonly workflow: Politeness | null | undefined;
}

/** All limits, those of the project first. */
export const effectiveLimits = ({ project, workflow }: Said): EffectiveLimit[] => [
  ...(project?.limits ?? []).map((limit) => ({ ...limit, by: 'project' as const })),
  ...(workflow?.limits ?? []).map((limit) => ({ ...limit, by: 'workflow' as const })),
];

/** Whether robots.txt is looked at: where anything is said of politeness, unless one of both says not to. */
export function checksRobotsTxt({ project, workflow }: Said): boolean {
  if (!project && !workflow) return false;
  return project?.robots !== 'ignore' && workflow?.robots !== 'ignore';
}

/** The site that an address belongs to; null for what is not on the web, such as about:blank. */
export function siteOf(url: string, base?: string): Site | null {
  const read = URL.parse(url, base);
  if (!read || !/^https?:$/.test(read.protocol)) return null;
  const host = parseHost(read.host.replace(/:\d+$/, ''));
  const port = read.port === '' ? (read.protocol === 'https:' ? 443 : 80) : Number(read.port);
  return host === null ? null : { host, port };
}

/** Whether a limit is one of this site. */
export function limitAppliesTo({ domain }: Pick<SiteLimit, 'domain'>, site: Site): boolean {
  const rule = parseHostRule(domain);
  if (!rule) return false;
  const address = parseAddress(site.host);
  return address ? matchesAddress(rule, address, site) : matchesHost(rule, site);
}
