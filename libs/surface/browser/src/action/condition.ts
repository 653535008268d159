import { locatorsOf, PilothouseError, type Condition, type Target } from '@pilothouse/contract';
import { countInWords, describeLocator, wildcard } from '@pilothouse/core';
import type { Page } from 'playwright-core';
import { nearbyOf } from '../target/nearby.ts';
import { resolveLocator } from '../target/resolve.ts';
import { titleOf } from '../tabs/title.ts';
import { NOTHING_LOCATED, withDeadline, type Hand, type Handler } from '../hand.ts';
import { inPage } from '../page/in-page.ts';
import { mightSay } from '../page/might-say.ts';
import { textOf } from '../page/nearby.ts';
import { isOff } from '../page/off.ts';
import { atMost, bounded, left, pause, poll } from '../wait.ts';

/** How long an assertion may take to come true: a page is never done in the tick after the input. Milliseconds. */
export const ASSERT_MS = 5000;

/** Whether a URL fits: it contains the text, or, with `*`, is as a whole of that form. */
export function urlFits(url: string, wanted: string): boolean {
  if (!wanted.includes('*')) return url.includes(wanted);
  return wildcard(wanted)(url);
}

const isAny = inPage((elements: Element[]) => elements.length > 0);
const howMany = inPage((elements: Element[]) => elements.length);
const isAnyOn = inPage((elements: Element[], _: unknown, tools) => elements.some((one) => !tools.isOff(one)), {
  isOff,
});

async function anyVisible(page: Page, target: Target, isOne = isAny): Promise<boolean> {
  for (const locator of locatorsOf(target)) {
    const resolved = await resolveLocator(page, locator, true);
    if (resolved && (await resolved.all.evaluateAll(isOne, undefined))) return true;
  }
  return false;
}

/** Visible elements of the first locator of a chain that finds any. */
async function countOf(page: Page, target: Target): Promise<number> {
  for (const locator of locatorsOf(target)) {
    const resolved = await resolveLocator(page, locator, true);
    const count = await resolved?.all.evaluateAll(howMany, undefined);
    if (count) return count;
  }
  return 0;
}

async function shows(page: Page, text: string): Promise<boolean> {
  for (const frame of page.frames()) {
    /* A document that cannot be asked is looked at all the same. */
    if (!(await frame.evaluate(mightSay, text).catch(() => true))) continue;
    const found = frame.getByText(text).filter({ visible: true }).first();
    if (await found.evaluateAll(isAny, undefined).catch(() => false)) return true;
  }
  return false;
}

/** Whether a page came that far; it is known without asking it. */
const hasLoaded = (page: Page, loaded: NonNullable<Condition['loaded']>) =>
  page.waitForLoadState(loaded, { timeout: 1 }).then(
    () => true,
    () => false,
  );

const words = (target: Target) => locatorsOf(target).map(describeLocator).join(' or ');

/** The parts of a condition that are not so, each with what was there instead. */
async function unmet(
  page: Page,
  { url, title, text, visible, enabled, hidden, count, loaded }: Condition,
): Promise<string[]> {
  const wrong: string[] = [];
  if (url !== undefined && !urlFits(page.url(), url)) wrong.push(`the URL is ${page.url()}, not ${url}`);
  if (title !== undefined) {
    const actual = await titleOf(page);
    if (!actual.toLowerCase().includes(title.toLowerCase())) wrong.push(`the title is "${actual}", not "${title}"`);
  }
  if (text !== undefined && !(await shows(page, text))) wrong.push(`the page does not show "${text}"`);
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
  if (loaded !== undefined && !(await hasLoaded(page, loaded)))
    wrong.push(`the page has not loaded as far as ${loaded}`);
  return wrong;
}

/** Whether a condition holds now; a document that is on its way is waited for. A page that cannot be looked at fulfils none. */
export async function conditionHolds(hand: Hand, condition: Condition): Promise<boolean> {
  await hand.settled(atMost(hand, left(hand) / 2)).catch(() => hand.signal.throwIfAborted());
  const looking = unmet(hand.page, condition).then(
    (wrong) => wrong.length === 0,
    () => false,
  );
  return bounded(looking, hand, 'The look at the page');
}

/**
 * Waits until a condition holds.
 * @param message put before what is wrong
 * @throws PilothouseError CONDITION_NOT_MET saying what was there instead
 */
export async function meetCondition(hand: Hand, condition: Condition, message?: string): Promise<void> {
  let wrong: string[] = ['the page did not answer'];
  /* A document that is on its way is not what is asked about; but one that never comes must not hide what is there. */
  await hand.settled(atMost(hand, left(hand) / 2)).catch(() => hand.signal.throwIfAborted());
  const until = { signal: hand.signal, deadline: hand.deadline - Math.min(500, left(hand) * 0.25) };
  const met = await poll(async () => {
    try {
      wrong = await bounded(unmet(hand.page, condition), until, 'The look at the page');
    } catch {
      hand.signal.throwIfAborted();
      return undefined;
    }
    return wrong.length === 0 ? true : undefined;
  }, until);
  if (met) return;

  const { page } = hand;
  const soon = (promise: Promise<string>) => bounded(promise, hand, 'A look').catch(() => '');
  const [title, text] = await Promise.all([soon(titleOf(page)), soon(page.locator('body').evaluate(textOf, 200))]);
  hand.signal.throwIfAborted();
  const missing = [condition.visible, condition.enabled].flatMap((target) => (target ? locatorsOf(target) : []));
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
export const wait: Handler<'wait'> = async (hand, { seconds }) => {
  const until = performance.now() + seconds * 1000;
  await pause(seconds * 1000, hand);
  if (until > hand.deadline)
    throw new PilothouseError('STEP_TIMED_OUT', `The step has less time than the ${seconds} s that it is to wait`);
  return NOTHING_LOCATED;
};

/** Waits for a condition, as long as the step may take. */
export const waitFor: Handler<'waitFor'> = async (hand, { condition }) => {
  await meetCondition(hand, condition);
  return NOTHING_LOCATED;
};

/** Checks a condition; it may take a little to come true. */
export const assert: Handler<'assert'> = async (hand, { condition, message }) => {
  await meetCondition(withDeadline(hand, performance.now() + ASSERT_MS), condition, message);
  return NOTHING_LOCATED;
};
