import {
  type Condition,
  type ErrorCode,
  type EventData,
  type Expectation,
  type GoalStep,
  type Json,
  type Locator,
  type Observation,
  conditionTexts,
  toPilothouseError,
} from '@pilothouse/contract';
import {
  type Anchors,
  type GoalClaim,
  type GoalCriteria,
  type GoalVerdict,
  escapePointer,
  isAtAnchor,
  isEmptyExpectation,
  listChanged,
  needsFullPage,
  systemTimers,
  unmetExpectation,
  verifyClaim,
} from '@pilothouse/core';
import { type ActionResult, runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeWithRetry } from '../agent/page-observer.ts';

/** Milliseconds after the last action of a turn in which the page has to show the expected result. */
export const EXPECT_TIMEOUT_MS = 5_000;
/** Milliseconds without activity and changes after which the page counts as final. A script may show something late. */
const QUIET_MS = 500;
/** Milliseconds between two observations. */
const EXPECTATION_POLL_MS = 50;
/** Milliseconds for reading URL and title, and for one text condition. */
const ANCHORS_MS = 2_000;
const EXPECTATION_HOLDS_MS = 1_000;

type ExpectParts = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'>;

/**
 * Waits for the expected page by URL and title only.
 * @param until monotonic milliseconds
 * @returns the current page, which may be another one if nothing is loading any more
 * @throws as `Surface.anchors`; the abort reason
 */
export const waitForLocation = (anchor: string, until: number, parts: ExpectParts): Promise<Anchors> =>
  untilQuiet<Anchors>(until, parts, {
    look: () => readSurface(parts.clock.monotonic() + ANCHORS_MS, parts, (context) => parts.surface.anchors(context)),
    isSo: (where) => isAtAnchor(anchor, where),
    isOther: (one, other) => one.url !== other.url || one.title !== other.title,
  });

/** Waits until the text of the page shows everything that is expected. */
export const waitForExpectation = (expects: Expectation, until: number, parts: ExpectParts): Promise<Observation> =>
  untilQuiet<Observation>(until, parts, {
    look: () => observeWithRetry('page', parts),
    isSo: (seen) => isEmptyExpectation(unmetExpectation(expects, seen)),
    isOther: (one, other) => one.loading || one.text?.text !== other.text?.text || listChanged(one, other),
  });

/** Keeps the expected texts that a condition finds: not values of fields, and not accessible names. @throws the abort reason */
export async function keepFindableTexts({ anchor, indicators }: Expectation, parts: ExpectParts): Promise<Expectation> {
  const found: string[] = [];
  for (const text of indicators) {
    const holds = readSurface(parts.clock.monotonic() + EXPECTATION_HOLDS_MS, parts, (context) =>
      parts.surface.holds({ text }, context),
    );
    if (await holds.catch(() => false)) found.push(text);
    parts.signal.throwIfAborted();
  }
  return { anchor, indicators: found };
}

interface Looking<Seen> {
  look(): Promise<Seen>;
  isSo(seen: Seen): boolean;
  isOther(one: Seen, other: Seen): boolean;
}

async function untilQuiet<Seen>(
  until: number,
  { surface, clock, signal }: ExpectParts,
  { look, isSo, isOther }: Looking<Seen>,
): Promise<Seen> {
  let last: Seen | undefined;
  let since = clock.monotonic();
  for (;;) {
    const seen = await look();
    const now = clock.monotonic();
    if (surface.isWaiting || last === undefined || isOther(seen, last)) since = now;
    if (isSo(seen) || now >= until || now - since >= QUIET_MS) return seen;
    last = seen;
    await systemTimers.delay(EXPECTATION_POLL_MS, signal);
  }
}

/** Milliseconds in which the page has to show a claim, and between two checks. */
const CHECK_MS = 5_000;
const CLAIM_POLL_MS = 200;
const CLAIM_HOLDS_MS = 3_000;

type CheckParts = Pick<ActionScope, 'surface' | 'signal' | 'clock' | 'log'>;

/**
 * Checks a claim with the cheapest sufficient observation: the condition of the step, its texts, and the indicators of the model.
 * @param lost entered values that the page lacks; left out: no values were entered
 * @param once checks once without waiting
 * @throws the abort reason; as `Surface.observe`
 */
export async function checkClaim(
  claim: GoalClaim,
  { expect = {} }: GoalStep,
  once: boolean,
  parts: CheckParts,
  lost?: GoalCriteria['lost'],
): Promise<GoalVerdict> {
  const { clock, signal } = parts;
  const until = clock.monotonic() + CHECK_MS;
  const { text: _text, ...rest } = expect;
  const texts = conditionTexts(expect);
  for (;;) {
    const condition = Object.keys(rest).length > 0 ? await holds(rest, parts) : null;
    const wanted = { texts, condition, ...(lost && { lost }) };
    const seen = needsFullPage(claim, wanted) ? await observeWithRetry('page', parts) : await where(parts);
    const verdict = verifyClaim(claim, seen, wanted);
    if (verdict.result === 'met' || once || clock.monotonic() >= until) return verdict;
    await systemTimers.delay(CLAIM_POLL_MS, signal);
  }
}

const where = (parts: CheckParts) =>
  readSurface(parts.clock.monotonic() + ANCHORS_MS, parts, (context) => parts.surface.anchors(context));

/** Evaluates a condition. An error of the surface counts as false. */
async function holds(condition: Condition, parts: CheckParts): Promise<boolean> {
  const holding = await readSurface(parts.clock.monotonic() + CLAIM_HOLDS_MS, parts, (context) =>
    parts.surface.holds(condition, context),
  ).catch(() => false);
  parts.signal.throwIfAborted();
  return holding;
}

/** Milliseconds for finding a text, and for reading its element. */
const ANSWER_HOLDS_MS = 3_000;
const READ_MS = 5_000;

/** Maximum parts of an answer. An answer with more parts is not located. */
const MAX_PARTS = 10;

/** Errors of reading an element that disappeared. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'EXTRACTION_FAILED',
  'STEP_TIMED_OUT',
]);

type Stands = Pick<EventData<'agent.answer_sources'>, 'sources' | 'missing'>;

/**
 * Locates the parts of an answer, each as the whole text of one element, so that later runs can read them there. Does not wait.
 * @returns null if there is no answer
 * @throws the abort reason; errors that end an attempt
 */
export async function locateAnswer(answer: Json, parts: ActionScope): Promise<Stands | null> {
  if (answer === null) return null;
  const leaves = leavesOf(answer);
  const sources: Stands['sources'] = [];
  const missing: string[] = [];
  for (const { at, value } of leaves) {
    const locators = leaves.length > MAX_PARTS ? [] : await locatorsOfText(value, parts);
    if (locators.length > 0) sources.push({ pointer: at, locators });
    else missing.push(at);
  }
  return { sources, missing };
}

/** Parts of an answer that are not objects. A list is one part. */
function leavesOf(value: Json, at = ''): { at: string; value: Json }[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ at, value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, `${at}/${escapePointer(key)}`));
}

async function locatorsOfText(value: Json, parts: ActionScope): Promise<Locator[]> {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '' || text.includes('{{')) return [];
  const target: Locator = { text, exact: true };
  const { surface, clock, signal } = parts;
  const isThere = await readSurface(clock.monotonic() + ANSWER_HOLDS_MS, parts, (context) =>
    surface.holds({ visible: target }, context),
  ).catch(() => false);
  signal.throwIfAborted();
  if (!isThere) return [];
  let read: ActionResult;
  try {
    read = await runAction({ action: 'extract', target, value: {} }, READ_MS, parts);
  } catch (thrown) {
    signal.throwIfAborted();
    if (passing.has(toPilothouseError(thrown).code)) return [];
    throw thrown;
  }
  // The text changes with each run, so locators must not contain it.
  const said = JSON.stringify(text).slice(1, -1);
  return (read.outcome.located?.alternatives ?? []).filter((locator) => !JSON.stringify(locator).includes(said));
}

const SWITCH_MS = 1_000;

/** Errors of a missing tab, and of a surface without tabs. */
const missing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'STEP_TIMED_OUT',
  'ACTION_UNSUPPORTED',
]);

/**
 * Brings the tab with this title to the front.
 * @returns true if exactly one tab matches
 * @throws the abort reason; errors that end an attempt
 */
export async function focusTab(title: string, parts: ActionScope): Promise<boolean> {
  const { surface, clock, signal } = parts;
  const here = await readSurface(clock.monotonic() + ANCHORS_MS, parts, (context) => surface.anchors(context)).catch(
    () => null,
  );
  signal.throwIfAborted();
  if (!here || isAtAnchor(title, here)) return false;
  try {
    await runAction({ action: 'switchTab', title }, SWITCH_MS, parts);
    return true;
  } catch (thrown) {
    signal.throwIfAborted();
    if (missing.has(toPilothouseError(thrown).code)) return false;
    throw thrown;
  }
}
