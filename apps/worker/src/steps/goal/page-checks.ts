import { type Condition, conditionTexts } from '@pilothouse/contract/actions/condition.schema';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import { answerParts, type AnswerPart } from '@pilothouse/core/agent/claim-evidence';
import {
  type GoalCriteria,
  type GoalVerdict,
  isAtAnchor,
  isEmptyExpectation,
  needsFullPage,
  unmetExpectation,
  verifyClaim,
} from '@pilothouse/core/agent/goal-verification';
import { listChanged } from '@pilothouse/core/agent/page-queries';
import { evidenceTextOf, sourceTextOf } from '@pilothouse/core/agent/observed-text';
import type { GoalClaim } from '@pilothouse/core/agent/planned-action';
import type { Anchors } from '@pilothouse/core/ports/surface.port';
import { type ActionResult, runAction } from '../../actions/run-action.ts';
import type { ActionScope } from '../../actions/action-scope.ts';
import { readSurface } from '../../actions/surface-reads.ts';
import { observeWithRetry, type ObserveScope } from '../../observation/page-observer.ts';

/** Milliseconds after the last action of a turn in which the page has to show the expected result. */
export const EXPECT_TIMEOUT_MS = 5_000;
/** Milliseconds without activity and changes after which the page counts as final. A script may show something late. */
const QUIET_MS = 500;
/** Milliseconds between two observations. */
const EXPECTATION_POLL_MS = 50;
/** Milliseconds for reading URL and title, and for one text condition. */
const ANCHORS_TIMEOUT_MS = 2_000;
const TEXT_TIMEOUT_MS = 1_000;

/**
 * Waits for the expected page by URL and title only.
 * @param deadline monotonic milliseconds
 * @returns the current page, which may be another one if nothing is loading any more
 * @throws as `Surface.anchors`; the abort reason
 */
export const waitForLocation = (anchor: string, deadline: number, scope: ObserveScope): Promise<Anchors> =>
  pollUntilQuiet<Anchors>(deadline, scope, {
    read: () =>
      readSurface(scope.clock.monotonic() + ANCHORS_TIMEOUT_MS, scope, (context) => scope.surface.anchors(context)),
    isExpected: (anchors) => isAtAnchor(anchor, anchors),
    hasChanged: (current, previous) => current.url !== previous.url || current.title !== previous.title,
  });

/** Waits until the text of the page shows everything that is expected. */
export const waitForExpectation = (expects: Expectation, deadline: number, scope: ObserveScope): Promise<Observation> =>
  pollUntilQuiet<Observation>(deadline, scope, {
    read: () => observeWithRetry('page', scope),
    isExpected: (page) => isEmptyExpectation(unmetExpectation(expects, page)),
    hasChanged: (current, previous) =>
      current.loading || current.text?.text !== previous.text?.text || listChanged(current, previous),
  });

/** Keeps the expected texts that a condition finds: not values of fields, and not accessible names. @throws the abort reason */
export async function filterFindableTexts(
  { anchor, indicators }: Expectation,
  scope: ObserveScope,
): Promise<Expectation> {
  const findable: string[] = [];
  for (const text of indicators) {
    const isFindable = readSurface(scope.clock.monotonic() + TEXT_TIMEOUT_MS, scope, (context) =>
      scope.surface.isMet({ text }, context),
    );
    if (await isFindable.catch(() => false)) findable.push(text);
    scope.signal.throwIfAborted();
  }
  return { anchor, indicators: findable };
}

interface PollOptions<Page> {
  read(): Promise<Page>;
  isExpected(page: Page): boolean;
  hasChanged(current: Page, previous: Page): boolean;
}

async function pollUntilQuiet<Page>(
  deadline: number,
  { surface, clock, timers, signal }: ObserveScope,
  { read, isExpected, hasChanged }: PollOptions<Page>,
): Promise<Page> {
  let last: Page | undefined;
  let stableSince = clock.monotonic();
  for (;;) {
    const page = await read();
    const now = clock.monotonic();
    if (surface.isWaiting || last === undefined || hasChanged(page, last)) stableSince = now;
    if (isExpected(page) || now >= deadline || now - stableSince >= QUIET_MS) return page;
    last = page;
    await timers.delay(EXPECTATION_POLL_MS, signal);
  }
}

/** Milliseconds in which the page has to show a claim, and between two checks. */
const CHECK_TIMEOUT_MS = 5_000;
const CLAIM_POLL_MS = 200;
/** Milliseconds without activity and changes after which an undecided claim goes to a model. */
const CLAIM_QUIET_MS = 1_000;
const CONDITION_TIMEOUT_MS = 3_000;

/**
 * Checks a claim with the cheapest sufficient observation: the condition of the step, its texts, and the indicators of the model.
 * @param evidence what the agent saw, did and entered
 * @param isOnce checks once without waiting
 * @throws the abort reason; as `Surface.observe`
 */
export async function checkClaim(
  claim: GoalClaim,
  { expect = {}, requireSources = false }: GoalStep,
  isOnce: boolean,
  scope: ObserveScope,
  evidence: Pick<GoalCriteria, 'lostValues' | 'invalidFields' | 'filledIndexes' | 'history'>,
): Promise<GoalVerdict> {
  const { surface, clock, timers, signal } = scope;
  const deadline = clock.monotonic() + CHECK_TIMEOUT_MS;
  let stableSince = clock.monotonic();
  let lastText: string | undefined;
  const { text: _text, ...rest } = expect;
  const texts = conditionTexts(expect);
  for (;;) {
    const condition = Object.keys(rest).length > 0 ? await evaluateCondition(rest, scope) : null;
    const criteria = { ...evidence, texts, condition, requiresSources: requireSources };
    const page = needsFullPage(claim, criteria) ? await observeWithRetry('page', scope) : await readAnchors(scope);
    const verdict = verifyClaim(claim, page, criteria);
    const now = clock.monotonic();
    const pageText = evidenceTextOf(page);
    if (surface.isWaiting || pageText !== lastText) stableSince = now;
    lastText = pageText;
    const isFinal = verdict.result === 'undecided' && now - stableSince >= CLAIM_QUIET_MS;
    if (verdict.result === 'met' || isOnce || isFinal || now >= deadline) return verdict;
    await timers.delay(CLAIM_POLL_MS, signal);
  }
}

const readAnchors = (scope: ObserveScope) =>
  readSurface(scope.clock.monotonic() + ANCHORS_TIMEOUT_MS, scope, (context) => scope.surface.anchors(context));

/** Evaluates a condition. An error of the surface counts as false. */
async function evaluateCondition(condition: Condition, scope: ObserveScope): Promise<boolean> {
  const isTrue = await readSurface(scope.clock.monotonic() + CONDITION_TIMEOUT_MS, scope, (context) =>
    scope.surface.isMet(condition, context),
  ).catch(() => false);
  scope.signal.throwIfAborted();
  return isTrue;
}

/** Milliseconds for finding a text, and for reading its element. */
const FIND_TIMEOUT_MS = 3_000;
const READ_TIMEOUT_MS = 5_000;

/** Maximum parts of an answer that is located. */
const MAX_LOCATED_PARTS = 10;
/** Maximum parts that the event lists. */
const MAX_LISTED_PARTS = 200;

/** Errors of reading an element that disappeared. */
const lostElementErrors: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_ACTIONABLE',
  'EXTRACTION_FAILED',
  'STEP_TIMED_OUT',
]);

type AnswerSources = Pick<EventData<'agent.answer_sources'>, 'sources' | 'computed' | 'missing' | 'unchecked' | 'page'>;

/**
 * Finds the sources of an answer: for each value, whether a page shows it, and the element with this text, so that later
 * runs can read it there. Does not wait.
 * @returns null if there is no answer
 * @throws the abort reason; errors that end an attempt
 */
export async function locateAnswer(
  answer: Json,
  { filledIndexes, history: { goal, seenTexts } }: Pick<GoalCriteria, 'filledIndexes' | 'history'>,
  scope: ActionScope,
): Promise<AnswerSources | null> {
  if (answer === null) return null;
  const page = await readPage(scope);
  const currentTexts = page ? [sourceTextOf(page, filledIndexes?.(page))] : [];
  const parts = answerParts(answer, goal.outputSchema, [...currentTexts, ...seenTexts]);
  const currentParts = answerParts(answer, goal.outputSchema, currentTexts).filter(({ origin }) => origin === 'page');
  const currentPointers = new Set(currentParts.map(({ pointer }) => pointer));
  const sources: AnswerSources['sources'] = [];
  for (const { pointer, value, origin } of parts.slice(0, MAX_LISTED_PARTS)) {
    const locators = parts.length > MAX_LOCATED_PARTS ? [] : await locatorsOfText(value, scope);
    const isOnPage = locators.length > 0 || currentPointers.has(pointer);
    if (isOnPage || origin === 'page') sources.push({ pointer, locators, isOnPage });
  }
  const located = new Set(sources.map(({ pointer }) => pointer));
  const pointers = (wanted: AnswerPart['origin']) =>
    parts
      .filter(({ pointer, origin }) => origin === wanted && !located.has(pointer))
      .slice(0, MAX_LISTED_PARTS)
      .map(({ pointer }) => pointer);
  const unchecked = pointers('unchecked');
  return {
    sources,
    computed: pointers('computed'),
    missing: pointers('missing'),
    ...(unchecked.length > 0 && { unchecked }),
    page: page && { url: page.url, title: page.title },
  };
}

/** The current page; null if it cannot be read. @throws the abort reason; errors that end an attempt */
async function readPage(scope: ActionScope): Promise<Observation | null> {
  try {
    return await observeWithRetry('page', scope);
  } catch (thrown) {
    scope.signal.throwIfAborted();
    if (!lostElementErrors.has(toPilothouseError(thrown).code)) throw thrown;
    return null;
  }
}

async function locatorsOfText(value: Json, scope: ActionScope): Promise<Locator[]> {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '' || text.includes('{{')) return [];
  const target: Locator = { text, exact: true };
  const { surface, clock, signal } = scope;
  const isVisible = await readSurface(clock.monotonic() + FIND_TIMEOUT_MS, scope, (context) =>
    surface.isMet({ visible: target }, context),
  ).catch(() => false);
  signal.throwIfAborted();
  if (!isVisible) return [];
  let extraction: ActionResult;
  try {
    extraction = await runAction({ action: 'extract', target, value: {} }, READ_TIMEOUT_MS, scope);
  } catch (thrown) {
    signal.throwIfAborted();
    if (lostElementErrors.has(toPilothouseError(thrown).code)) return [];
    throw thrown;
  }
  // The text changes with each run, so locators must not contain it.
  const escapedText = JSON.stringify(text).slice(1, -1);
  return (extraction.outcome.located?.alternatives ?? []).filter(
    (locator) => !JSON.stringify(locator).includes(escapedText),
  );
}
