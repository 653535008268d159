import type {
  Politeness,
  Site,
  SiteLimit,
  SiteLimitKind,
  SiteLimitWait,
} from '@pilothouse/contract/project/politeness.schema';
import { matchesAddress, matchesHost, parseAddress, parseHost, parseHostRule } from '../egress/host-rules.ts';

/** Current state of a limit for a run. */
export interface LimitState {
  readonly requestsPerMinute: number | null;
  readonly maxConcurrentRuns: number | null;
  /** Milliseconds until the next page may be opened; 0: now. */
  readonly nextInMs: number;
  /** Other runs that hold a slot. */
  readonly activeRuns: number;
  /** True if the run already holds a slot. */
  readonly hasSlot: boolean;
  /** Runs that queued earlier, per limit. */
  readonly ahead: Readonly<Record<SiteLimitKind, number>>;
}

/** Decision: the run may proceed, or the limit that it waits for. */
export type VisitDecision =
  | { readonly go: true }
  | {
      readonly go: false;
      /** The limit that blocks, and its kind. */
      readonly limitIndex: number;
      readonly limit: SiteLimitKind;
      /** Milliseconds until the next request. */
      readonly waitMs: number;
      /** Number of runs ahead in the queue of the limit. */
      readonly ahead: number;
    };

/** Minimum milliseconds between two requests of a run. */
const MIN_WAIT_MS = 20;
/**
 * Slots are released without notification. Retry interval of the first waiting run in milliseconds, the increment for each run ahead, and
 * the maximum.
 */
const SLOT_RETRY_MS = 200;
const SLOT_RETRY_INCREMENT_MS = 50;
const MAX_SLOT_RETRY_MS = 3_000;
/** Longer waits are split, so that an unused interval or a changed limit is noticed. */
const MAX_UNSPLIT_WAIT_MS = 5_000;
const MAX_WAIT_MS = 30_000;

/** Milliseconds between two pages. */
export const intervalMs = (requestsPerMinute: number): number => 60_000 / requestsPerMinute;

/** Decides whether the run may open a page now. Each limit has its own FIFO queue, so runs never wait for runs of unrelated limits. */
export function decideVisit(limits: readonly LimitState[]): VisitDecision {
  for (const [index, { maxConcurrentRuns, activeRuns: inside, hasSlot: isInside, ahead }] of limits.entries()) {
    if (maxConcurrentRuns === null || isInside || inside + ahead.maxConcurrentRuns < maxConcurrentRuns) continue;
    const waitMs = Math.min(SLOT_RETRY_MS + SLOT_RETRY_INCREMENT_MS * ahead.maxConcurrentRuns, MAX_SLOT_RETRY_MS);
    return { go: false, limitIndex: index, limit: 'maxConcurrentRuns', waitMs, ahead: ahead.maxConcurrentRuns };
  }
  for (const [index, { requestsPerMinute, nextInMs, ahead }] of limits.entries()) {
    if (requestsPerMinute === null || (nextInMs <= 0 && ahead.requestsPerMinute === 0)) continue;
    const turnMs = Math.max(0, nextInMs) + ahead.requestsPerMinute * intervalMs(requestsPerMinute);
    const waitMs =
      turnMs <= MAX_UNSPLIT_WAIT_MS ? turnMs : Math.min(Math.max(MAX_UNSPLIT_WAIT_MS, turnMs / 2), MAX_WAIT_MS);
    return {
      go: false,
      limitIndex: index,
      limit: 'requestsPerMinute',
      waitMs: Math.ceil(Math.max(MIN_WAIT_MS, waitMs)),
      ahead: ahead.requestsPerMinute,
    };
  }
  return { go: true };
}

/** A limit with its scope. */
export interface EffectiveLimit extends SiteLimit {
  readonly owner: SiteLimitWait['scope'];
}

/** Politeness settings of project and workflow. */
export interface PolitenessSettings {
  readonly project: Politeness | null;
  readonly workflow: Politeness | null | undefined;
}

/** All limits, those of the project first. */
export const effectiveLimits = ({ project, workflow }: PolitenessSettings): EffectiveLimit[] => [
  ...(project?.limits ?? []).map((limit) => ({ ...limit, owner: 'project' as const })),
  ...(workflow?.limits ?? []).map((limit) => ({ ...limit, owner: 'workflow' as const })),
];

/** True if robots.txt is checked: if politeness is configured, unless project or workflow disables it. */
export function checksRobotsTxt({ project, workflow }: PolitenessSettings): boolean {
  if (!project && !workflow) return false;
  return project?.robots !== 'ignore' && workflow?.robots !== 'ignore';
}

/** The site of a URL; null for non-web URLs such as about:blank. */
export function siteOf(url: string, base?: string): Site | null {
  const parsedUrl = URL.parse(url, base);
  if (!parsedUrl || !/^https?:$/.test(parsedUrl.protocol)) return null;
  const host = parseHost(parsedUrl.host.replace(/:\d+$/, ''));
  const port = parsedUrl.port === '' ? (parsedUrl.protocol === 'https:' ? 443 : 80) : Number(parsedUrl.port);
  return host === null ? null : { host, port };
}

/** True if a limit applies to this site. */
export function limitAppliesTo({ domain }: Pick<SiteLimit, 'domain'>, site: Site): boolean {
  const rule = parseHostRule(domain);
  if (!rule) return false;
  const address = parseAddress(site.host);
  return address ? matchesAddress(rule, address, site) : matchesHost(rule, site);
}
