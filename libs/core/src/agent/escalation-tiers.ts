import type { Tier } from '@pilothouse/contract/model/tier-names';

/*
 * Tiers of the agent, as a pure function: the element list twice, the text of the whole page, screenshots, another plan. A person is asked
 * after `MAX_REPLANS` plans.
 */

/** Failures with the element list before the text of the whole page is read. */
export const TEXT_FAILURES_BEFORE_FULL_PAGE = 2;
/** Failures in a row that force a screenshot, even if the page changed. */
const FAILURES_BEFORE_VISION = 3;
/** Failures that force another plan when no vision model is available. */
const MAX_FAILURES_WITHOUT_VISION = 4;
/** Turns with screenshots that may fail. */
const MAX_VISION_TURNS = 3;
/** Turns that may be repeated on the same page. */
const MAX_REPEATS = 3;
/** Plans before a person is asked. */
export const MAX_REPLANS = 2;

export interface Escalation {
  /** Input of the next model call: the element list or a screenshot. */
  readonly tier: 'text' | 'vision';
  /** Highest tier of the goal so far. */
  readonly highest: Tier;
  /** Failures since the last progress: an action that changed the page. */
  readonly failures: number;
  /** Turns with screenshots since the last progress. */
  readonly visionTurns: number;
  /** Turns that were repeated on the same page. */
  readonly repeats: number;
  /** Plans since the last answer of a person. */
  readonly replans: number;
  /** Depth of an observation that needs no screenshot. */
  readonly depth: 'view' | 'page';
  /** True: every model call has a screenshot, unless no vision model is available. */
  readonly isAlwaysVision: boolean;
  /** False once no vision model is known to be available. */
  readonly visionAvailable: boolean;
}

export const INITIAL_ESCALATION: Escalation = {
  tier: 'text',
  highest: 'replay',
  failures: 0,
  visionTurns: 0,
  repeats: 0,
  replans: 0,
  depth: 'view',
  isAlwaysVision: false,
  visionAvailable: true,
};

/** `unverified`: the page changed, but not as expected. It never leads to another plan by itself. */
export type EscalationReason = 'failure' | 'repeat' | 'unverified';

export interface EscalationResult {
  readonly next: 'retry' | 'fullPage' | 'vision' | 'replan';
  readonly escalation: Escalation;
}

/** Counts a failure and decides what to try next. The first rule that matches wins. */
export function escalate(previous: Escalation, reason: EscalationReason): EscalationResult {
  const isLastWithoutVision = !previous.visionAvailable && previous.failures + 1 >= MAX_FAILURES_WITHOUT_VISION;
  const failures = previous.failures + (reason === 'unverified' && isLastWithoutVision ? 0 : 1);
  const repeats = previous.repeats + (reason === 'repeat' ? 1 : 0);
  const escalation = { ...previous, failures, repeats };
  if (repeats >= MAX_REPEATS) return { next: 'replan', escalation };
  if (previous.tier === 'vision')
    return { next: previous.visionTurns >= MAX_VISION_TURNS ? 'replan' : 'retry', escalation };
  if (previous.visionAvailable && (reason === 'repeat' || failures >= FAILURES_BEFORE_VISION))
    return { next: 'vision', escalation: withVision(escalation) };
  if (failures >= MAX_FAILURES_WITHOUT_VISION) return { next: 'replan', escalation };
  return failures >= TEXT_FAILURES_BEFORE_FULL_PAGE
    ? { next: 'fullPage', escalation: { ...escalation, depth: 'page' } }
    : { next: 'retry', escalation };
}

/** The next model call gets a screenshot. */
export const withVision = (escalation: Escalation): Escalation => ({ ...escalation, tier: 'vision', visionTurns: 0 });

/** After progress, the cheapest tier is tried again. */
export const afterProgress = (escalation: Escalation): Escalation => ({
  ...escalation,
  failures: 0,
  visionTurns: 0,
  depth: 'view',
  tier: escalation.isAlwaysVision ? 'vision' : 'text',
});

/** Without a vision model the text of the whole page has to do. */
export const withoutVision = (escalation: Escalation): Escalation => ({
  ...escalation,
  isAlwaysVision: false,
  visionAvailable: false,
  tier: 'text',
  depth: 'page',
  visionTurns: 0,
});

/**
 * True for the last turn before a screenshot. If the page does not show its result, a model compares screenshots, so that one is taken before
 * the turn.
 */
export const canVerifyTurnByScreenshot = ({ failures, tier, visionAvailable }: Escalation): boolean =>
  visionAvailable && tier === 'text' && failures >= TEXT_FAILURES_BEFORE_FULL_PAGE - 1;

/** True if the text of the whole page decides whether a turn worked after all. */
export const isFullPageCheckDue = ({ failures, depth, tier }: Escalation): boolean =>
  tier === 'text' && depth === 'page' && failures >= TEXT_FAILURES_BEFORE_FULL_PAGE;
