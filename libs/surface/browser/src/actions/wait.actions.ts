import { conditionTexts, toLocatorChain, PilothouseError, type Condition, type Target } from '@pilothouse/contract';
import {
  countInWords,
  describeLocator,
  wildcard,
  limitDeadline,
  raceDeadline,
  remainingMs,
  delayWithin,
  poll,
} from '@pilothouse/core';
import type { Page } from 'playwright-core';
import { nearbyOf } from '../targeting/not-found-report.ts';
import { resolveLocator } from '../targeting/resolve-locator.ts';
import { documentTitle } from '../pages/tracked-page.ts';
import { NO_TARGET, withDeadline, type ActionContext, type ActionHandler } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { bodyText, mayContainText } from '../injected/page-text.ts';
import { isDisabled } from '../injected/form-controls.ts';

/** How long an assertion may take to come true: a page is never done in the tick after the input. Milliseconds. */
export const ASSERT_MS = 5000;

/** Whether a URL fits: it contains the text, or, with `*`, is as a whole of that form. */
export function matchesUrl(url: string, wanted: string): boolean {
  if (!wanted.includes('*')) return url.includes(wanted);
  return wildcard(wanted)(url);
}

const isAny = pageFunction((elements: Element[]) => elements.length > 0);
const howMany = pageFunction((elements: Element[]) => elements.length);
const isAnyOn = pageFunction((elements: Element[], _: unknown, tools) => elements.some((one) => !tools.isOff(one)), {
  isOff: isDisabled,
});

async function anyVisible(page: Page, target: Target, isOne = isAny): Promise<boolean> {
  for (const locator of toLocatorChain(target)) {
    const resolved = await resolveLocator(page, locator, true);
    if (resolved && (await resolved.all.evaluateAll(isOne, undefined))) return true;
  }
  return false;
}

/** Visible elements of the first locator of a chain that finds any. */
async function countOf(page: Page, target: Target): Promise<number> {
  for (const locator of toLocatorChain(target)) {
    const resolved = await resolveLocator(page, locator, true);
    const count = await resolved?.all.evaluateAll(howMany, undefined);
    if (count) return count;
  }
  return 0;
}

async function shows(page: Page, text: string): Promise<boolean> {
  for (const frame of page.frames()) {
    /* A document that cannot be asked is looked at all the same. */
    if (!(await frame.evaluate(mayContainText, text).catch(() => true))) continue;
    const found = frame.getByText(text).filter({ visible: true }).first();
    if (await found.evaluateAll(isAny, undefined).catch(() => false)) return true;
  }
  return false;
}

/** Whether a page came that far; it is known without asking it. */
const hasLoaded = (page: Page, loaded: NonNullable<Condition['loadState']>) =>
  page.waitForLoadState(loaded, { timeout: 1 }).then(
    () => true,
    () => false,
  );

const words = (target: Target) => toLocatorChain(target).map(describeLocator).join(' or ');

/** The parts of a condition that are not so, each with what was there instead. */
async function unmet(
  page: Page,
  { url, title, text, visible, enabled, hidden, count, loadState }: Condition,
): Promise<string[]> {
  const wrong: string[] = [];
  if (url !== undefined && !matchesUrl(page.url(), url)) wrong.push(`the URL is ${page.url()}, not ${url}`);
  if (title !== undefined) {
    const actual = await documentTitle(page);
    if (!actual.toLowerCase().includes(title.toLowerCase())) wrong.push(`the title is "${actual}", not "${title}"`);
  }
  for (const one of conditionTexts({ text }))
    if (!(await shows(page, one))) wrong.push(`the page does not show "${one}"`);
  if (visible !== undefined && !(await anyVisible(page, visible))) wrong.push(`${words(visible)} is not visible`);
  if (enabled !== undefined && !(await anyVisible(page, enabled, isAnyOn)))
    wrong.push(`${words(enabled)} is not there to be used`);
  if (hidden !== undefined && (await anyVisible(page, hidden))) wrong.push(`${words(hidden)} is still visible`);
  if (count !== undefined) {
    const seen = await countOf(page, count.target);
    const { equals, min = equals ?? 0, max = equals ?? Infinity } = count;
    if (seen < min || seen > max)
      wrong.push(`${words(count.target)} is visible ${seen} times, not ${countInWords(count)}`);
  }
  if (loadState !== undefined && !(await hasLoaded(page, loadState)))
    wrong.push(`the page has not loaded as far as ${loadState}`);
  return wrong;
}

/** Whether a condition holds now; a document that is on its way is waited for. A page that cannot be looked at fulfils none. */
export async function checkCondition(hand: ActionContext, condition: Condition): Promise<boolean> {
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 2)).catch(() => hand.signal.throwIfAborted());
  const looking = unmet(hand.page, condition).then(
    (wrong) => wrong.length === 0,
    () => false,
  );
  return raceDeadline(looking, hand, 'The look at the page');
}

/**
 * Waits until a condition holds.
 * @param message put before what is wrong
 * @throws PilothouseError CONDITION_NOT_MET saying what was there instead
 */
export async function waitForCondition(hand: ActionContext, condition: Condition, message?: string): Promise<void> {
  let wrong: string[] = ['the page did not answer'];
  /* A document that is on its way is not what is asked about; but one that never comes must not hide what is there. */
  await hand.settled(limitDeadline(hand, remainingMs(hand) / 2)).catch(() => hand.signal.throwIfAborted());
  const until = { signal: hand.signal, deadline: hand.deadline - Math.min(500, remainingMs(hand) * 0.25) };
  const met = await poll(async () => {
    try {
      wrong = await raceDeadline(unmet(hand.page, condition), until, 'The look at the page');
    } catch {
      hand.signal.throwIfAborted();
      return undefined;
    }
    return wrong.length === 0 ? true : undefined;
  }, until);
  if (met) return;

  const { page } = hand;
  const soon = (promise: Promise<string>) => raceDeadline(promise, hand, 'A look').catch(() => '');
  const [title, text] = await Promise.all([
    soon(documentTitle(page)),
    soon(page.locator('body').evaluate(bodyText, 200)),
  ]);
  hand.signal.throwIfAborted();
  const missing = [condition.visible, condition.enabled].flatMap((target) => (target ? toLocatorChain(target) : []));
  const { words: instead, nearby } = await nearbyOf(hand, missing);
  const there = instead === '' ? '' : `. There is ${instead}`;
  const begun = message ? `${message}: ` : '';
  throw new PilothouseError(
    'CONDITION_NOT_MET',
    `${begun}${wrong.join('; ')}${there}. The page is ${page.url()}, "${title}", and says: ${text}`,
    { details: { unmet: wrong, ...(nearby.length > 0 && { nearby }), url: page.url(), title, text } },
  );
}

/** Lets time pass. @throws PilothouseError STEP_TIMED_OUT when the step has less time */
export const wait: ActionHandler<'wait'> = async (hand, { seconds }) => {
  const until = performance.now() + seconds * 1000;
  await delayWithin(seconds * 1000, hand);
  if (until > hand.deadline)
    throw new PilothouseError('STEP_TIMED_OUT', `The step has less time than the ${seconds} s that it is to wait`);
  return NO_TARGET;
};

/** Waits for a condition, as long as the step may take. */
export const waitFor: ActionHandler<'waitFor'> = async (hand, { condition }) => {
  await waitForCondition(hand, condition);
  return NO_TARGET;
};

/** Checks a condition; it may take a little to come true. */
export const assert: ActionHandler<'assert'> = async (hand, { condition, message }) => {
  await waitForCondition(withDeadline(hand, performance.now() + ASSERT_MS), condition, message);
  return NO_TARGET;
};
