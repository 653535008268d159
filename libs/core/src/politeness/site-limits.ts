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
  /** Whether the run already holds a slot. */
  readonly isInside: boolean;
  /** Runs that queued earlier, per limit. */
  readonly ahead: Readonly<Record<SiteLimitKind, number>>;
}

/** Whether a run may proceed, or which limit it waits for. */
export type VisitDecision =
  | { readonly go: true }
  | {
      readonly go: false;
      /** The limit that blocks, and its kind. */
      readonly at: number;
      readonly limit: SiteLimitKind;
      /** Milliseconds after which it asks again. */
      readonly waitMs: number;
      /** Number of runs ahead in the queue of the limit. */
      readonly ahead: number;
    };

/** Least milliseconds between two questions of a run. */
const SOON_MS = 20;
/**
 * Slots are released without notification. Retry interval of the first waiting run in milliseconds, the increment for each run ahead, and
 * the maximum.
 */
const PLACE_MS = 200;
const BEHIND_MS = 50;
const PLACE_MOST_MS = 3_000;
/** Waits up to this long happen in one piece. Longer ones are split, so that an unused turn or a changed limit is noticed. */
const WHOLE_MS = 5_000;
const MOST_MS = 30_000;

/** Milliseconds between two pages. */
export const intervalMs = (requestsPerMinute: number): number => 60_000 / requestsPerMinute;

/** Decides whether the run may open a page now. Each limit has its own FIFO queue, so runs never wait for runs of unrelated limits. */
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

/** A limit with its scope. */
export interface EffectiveLimit extends SiteLimit {
  readonly by: SiteLimitWait['scope'];
}

/** All limits of project and workflow. */
export interface Said {
  readonly project: Politeness | null;
  readonly workflow: Politeness | null | undefined;
}

/** All limits, those of the project first. */
export const effectiveLimits = ({ project, workflow }: Said): EffectiveLimit[] => [
  ...(project?.limits ?? []).map((limit) => ({ ...limit, by: 'project' as const })),
  ...(workflow?.limits ?? []).map((limit) => ({ ...limit, by: 'workflow' as const })),
];

/** Whether robots.txt is checked: if politeness is configured, unless project or workflow disables it. */
export function checksRobotsTxt({ project, workflow }: Said): boolean {
  if (!project && !workflow) return false;
  return project?.robots !== 'ignore' && workflow?.robots !== 'ignore';
}

/** The site of a URL; null for non-web URLs such as about:blank. */
export function siteOf(url: string, base?: string): Site | null {
  const read = URL.parse(url, base);
  if (!read || !/^https?:$/.test(read.protocol)) return null;
  const host = parseHost(read.host.replace(/:\d+$/, ''));
  const port = read.port === '' ? (read.protocol === 'https:' ? 443 : 80) : Number(read.port);
  return host === null ? null : { host, port };
}

/** Whether a limit applies to this site. */
export function limitAppliesTo({ domain }: Pick<SiteLimit, 'domain'>, site: Site): boolean {
  const rule = parseHostRule(domain);
  if (!rule) return false;
  const address = parseAddress(site.host);
  return address ? matchesAddress(rule, address, site) : matchesHost(rule, site);
}
