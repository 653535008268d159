import { conditionTexts, type Condition } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { lookalikePattern, readableText } from '@pilothouse/core/regex/lookalike-text';
import { wildcard } from '@pilothouse/core/regex/wildcard';
import { limitDeadline, raceDeadline, remainingMs, delayWithin, poll } from '@pilothouse/core/time/deadlines';
import { countInWords, describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { Page } from 'playwright-core';
import { nearbyOf } from '../targeting/not-found-report.ts';
import { resolveLocator } from '../targeting/resolve-locator.ts';
import { documentTitle } from '../pages/tracked-page.ts';
import { NO_TARGET, withDeadline, type ActionContext, type ActionHandler } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { bodyText, mayContainText } from '../injected/page-text.ts';
import { isDisabled } from '../injected/form-controls.ts';

/** Maximum wait of an assertion. A page never finishes in the tick after the input. */
export const ASSERT_TIMEOUT_MS = 5000;

/** Matches a URL: as a substring, or with `*` as a pattern for the whole URL. */
export function matchesUrl(url: string, expected: string): boolean {
  if (!expected.includes('*')) return url.includes(expected);
  return wildcard(expected)(url);
}

const hasElements = pageFunction((elements: Element[]) => elements.length > 0);
const countElements = pageFunction((elements: Element[]) => elements.length);
const hasEnabledElement = pageFunction(
  (elements: Element[], _: unknown, tools) => elements.some((element) => !tools.isOff(element)),
  {
    isOff: isDisabled,
  },
);

async function anyVisible(page: Page, target: Target, predicate = hasElements): Promise<boolean> {
  for (const locator of toLocatorChain(target)) {
    const resolved = await resolveLocator(page, locator, true);
    if (resolved && (await resolved.matches.evaluateAll(predicate, undefined))) return true;
  }
  return false;
}

/** Counts the visible elements of the first locator that matches any. */
async function countVisible(page: Page, target: Target): Promise<number> {
  for (const locator of toLocatorChain(target)) {
    const resolved = await resolveLocator(page, locator, true);
    const count = await resolved?.matches.evaluateAll(countElements, undefined);
    if (count) return count;
  }
  return 0;
}

async function containsText(page: Page, text: string): Promise<boolean> {
  for (const frame of page.frames()) {
    // A document that cannot answer is searched anyway.
    if (!(await frame.evaluate(mayContainText, text).catch(() => true))) continue;
    for (const form of [text, lookalikePattern(text, false)]) {
      if (form === null) continue;
      const textMatch = frame.getByText(form).filter({ visible: true }).first();
      if (await textMatch.evaluateAll(hasElements, undefined).catch(() => false)) return true;
    }
  }
  return false;
}

/** True if the page reached a load state. The page itself is not asked. */
const hasLoaded = (page: Page, state: NonNullable<Condition['loadState']>) =>
  page.waitForLoadState(state, { timeout: 1 }).then(
    () => true,
    () => false,
  );

const describeTarget = (target: Target) => toLocatorChain(target).map(describeLocator).join(' or ');

/** Returns the unmet parts of a condition, each with the actual state. */
async function unmetParts(
  page: Page,
  { url, title, text, visible, enabled, hidden, count, loadState }: Condition,
): Promise<string[]> {
  const problems: string[] = [];
  if (url !== undefined && !matchesUrl(page.url(), url)) problems.push(`the URL is ${page.url()}, not ${url}`);
  if (title !== undefined) {
    const actual = await documentTitle(page);
    if (!readableText(actual).toLowerCase().includes(readableText(title).toLowerCase()))
      problems.push(`the title is "${actual}", not "${title}"`);
  }
  for (const expectedText of conditionTexts({ text }))
    if (!(await containsText(page, expectedText))) problems.push(`the page does not show "${expectedText}"`);
  if (visible !== undefined && !(await anyVisible(page, visible)))
    problems.push(`${describeTarget(visible)} is not visible`);
  if (enabled !== undefined && !(await anyVisible(page, enabled, hasEnabledElement)))
    problems.push(`${describeTarget(enabled)} is not enabled`);
  if (hidden !== undefined && (await anyVisible(page, hidden)))
    problems.push(`${describeTarget(hidden)} is still visible`);
  if (count !== undefined) {
    const actualCount = await countVisible(page, count.target);
    const { equals, min = equals ?? 0, max = equals ?? Infinity } = count;
    if (actualCount < min || actualCount > max)
      problems.push(`${describeTarget(count.target)} is visible ${actualCount} times, not ${countInWords(count)}`);
  }
  if (loadState !== undefined && !(await hasLoaded(page, loadState)))
    problems.push(`the page has not reached the load state ${loadState}`);
  return problems;
}

/** Checks a condition after pending navigations. A page that does not answer fulfills no condition. */
export async function checkCondition(ctx: ActionContext, condition: Condition): Promise<boolean> {
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 2)).catch(() => ctx.signal.throwIfAborted());
  const checking = unmetParts(ctx.page, condition).then(
    (problems) => problems.length === 0,
    () => false,
  );
  return raceDeadline(checking, ctx, 'Reading the page');
}

/**
 * Waits for a condition.
 * @param message prefix of the error message
 * @throws PilothouseError CONDITION_NOT_MET with the actual state
 */
export async function waitForCondition(ctx: ActionContext, condition: Condition, message?: string): Promise<void> {
  let problems: string[] = ['the page did not answer'];
  // The condition refers to the document that is loading. If it never loads, the current one is checked.
  await ctx.waitUntilSettled(limitDeadline(ctx, remainingMs(ctx) / 2)).catch(() => ctx.signal.throwIfAborted());
  const conditionDeadline = { signal: ctx.signal, deadline: ctx.deadline - Math.min(500, remainingMs(ctx) * 0.25) };
  const isMet = await poll(async () => {
    try {
      problems = await raceDeadline(unmetParts(ctx.page, condition), conditionDeadline, 'Reading the page');
    } catch {
      ctx.signal.throwIfAborted();
      return undefined;
    }
    return problems.length === 0 ? true : undefined;
  }, conditionDeadline);
  if (isMet) return;

  const { page } = ctx;
  const emptyOnError = (promise: Promise<string>) => raceDeadline(promise, ctx, 'Reading the page').catch(() => '');
  const [title, text] = await Promise.all([
    emptyOnError(documentTitle(page)),
    emptyOnError(page.locator('body').evaluate(bodyText, 200)),
  ]);
  ctx.signal.throwIfAborted();
  const missing = [condition.visible, condition.enabled].flatMap((target) => (target ? toLocatorChain(target) : []));
  const { words: nearbyText, nearby } = await nearbyOf(ctx, missing);
  const nearbySentence = nearbyText === '' ? '' : `. There is ${nearbyText}`;
  const prefix = message ? `${message}: ` : '';
  throw new PilothouseError(
    'CONDITION_NOT_MET',
    `${prefix}${problems.join('; ')}${nearbySentence}. The page is ${page.url()}, "${title}", and says: ${text}`,
    { details: { unmetParts: problems, ...(nearby.length > 0 && { nearby }), url: page.url(), title, text } },
  );
}

/** Waits for a fixed time. @throws PilothouseError STEP_TIMED_OUT if the step has less time */
export const wait: ActionHandler<'wait'> = async (ctx, { seconds }) => {
  const waitEnd = ctx.timers.monotonic() + seconds * 1000;
  await delayWithin(seconds * 1000, ctx);
  if (waitEnd > ctx.deadline)
    throw new PilothouseError(
      'STEP_TIMED_OUT',
      `The step cannot wait ${seconds} s within its timeout; increase the timeout`,
    );
  return NO_TARGET;
};

/** Waits for a condition until the deadline of the step. */
export const waitFor: ActionHandler<'waitFor'> = async (ctx, { condition }) => {
  await waitForCondition(ctx, condition);
  return NO_TARGET;
};

/** Asserts a condition within a short time. */
export const assert: ActionHandler<'assert'> = async (ctx, { condition, message }) => {
  await waitForCondition(withDeadline(ctx, ctx.timers.monotonic() + ASSERT_TIMEOUT_MS), condition, message);
  return NO_TARGET;
};
