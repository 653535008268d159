import { locatorsOf, PilothouseError, type Locator, type Target } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import type { Frame, Locator as PageLocator } from 'playwright-core';
import { frameOffset } from './browser.frame.ts';
import { nothingFound } from './browser.nearby.ts';
import { resolveLocator } from './browser.resolve.ts';
import type { Hand } from './hand.ts';
import { look, type Kind, type Look, type Need } from './page/look.ts';
import { bounded, left, pause, poll } from './wait.ts';

/** The one element that a chain of locators found. */
export interface Found {
  readonly one: PageLocator;
  readonly frame: Frame;
  readonly kind: Kind;
  /** Where to click, in pixels of the page; only when it was to be ready for input. */
  readonly point: { readonly x: number; readonly y: number };
  /** For the outcome of the step. */
  readonly located: { locator: string; tried: number };
}

/** Part of the time that is kept for saying what was there instead, in milliseconds. */
const reserve = (hand: Hand) => Math.min(500, left(hand) * 0.2);

/** Two matches may be two states of a page that is changing: they have to stay for this long, in milliseconds. */
const AMBIGUOUS_FOR = 250;

/** How often the same failure of a look is believed to pass. */
const FAILURES = 4;

interface Try {
  found?: Found;
  ambiguous?: PilothouseError;
  problem?: { locator: string; why: string };
  failure?: string;
}

/**
 * The one element that the first fitting locator of a chain finds, waiting for it within the deadline. The whole chain is looked
 * at in each round.
 * @throws PilothouseError TARGET_NOT_FOUND with what is there instead, TARGET_AMBIGUOUS with the matches, TARGET_NOT_READY saying why
 */
export async function locate(hand: Hand, target: Target, need: Need): Promise<Found> {
  const chain = locatorsOf(target);
  await hand.settled();
  const until = { signal: hand.signal, deadline: hand.deadline - reserve(hand) };
  const failures = new Map<string, number>();
  let last: Try = {};
  let ambiguousSince: number | null = null;

  const found = await poll(async () => {
    last = {};
    for (const [index, locator] of chain.entries()) {
      last = await lookOnce(hand, locator, index, need);
      if (last.failure) failures.set(last.failure, (failures.get(last.failure) ?? 0) + 1);
      if (last.found || last.ambiguous || last.problem) break;
    }
    if (last.ambiguous) {
      ambiguousSince ??= performance.now();
      if (performance.now() - ambiguousSince >= AMBIGUOUS_FOR || left(until) === 0) throw last.ambiguous;
    } else ambiguousSince = null;
    if (Math.max(0, ...failures.values()) >= FAILURES) return null;
    return last.found;
  }, until);

  if (found) return found;
  if (last.ambiguous) throw last.ambiguous;
  if (last.problem) {
    throw new PilothouseError('TARGET_NOT_READY', `${last.problem.locator} is there, but ${last.problem.why}`, {
      details: { ...last.problem },
    });
  }
  throw await nothingFound(hand, chain, [...failures.keys()]);
}

/** A chain looked at once: the element, or null; for what may be missing. @throws PilothouseError TARGET_AMBIGUOUS */
export async function locateNow(hand: Hand, target: Target, need: Need): Promise<Found | null> {
  for (const [index, locator] of locatorsOf(target).entries()) {
    const { found, ambiguous, problem } = await lookOnce(hand, locator, index, need);
    if (ambiguous) throw ambiguous;
    if (found || problem) return found ?? null;
  }
  return null;
}

async function lookOnce(hand: Hand, locator: Locator, index: number, need: Need): Promise<Try> {
  const words = describeLocator(locator);
  try {
    const resolved = await bounded(resolveLocator(hand.page, locator, need !== 'attached'), hand, words);
    if (!resolved) return {};
    const seen = await bounded(resolved.all.evaluateAll(look, need), hand, words);
    if (seen.count === 0) return {};
    if (seen.count > 1) return { ambiguous: ambiguity(words, seen) };
    if (seen.problem !== null) return { problem: { locator: words, why: seen.problem } };
    const point = seen.point ?? { x: 0, y: 0 };
    const offset = seen.point ? await bounded(frameOffset(resolved.frame, point), hand, words) : { x: 0, y: 0 };
    if ('covered' in offset) return { problem: { locator: words, why: offset.covered } };
    return {
      found: {
        one: resolved.all,
        frame: resolved.frame,
        kind: seen.kind ?? { tag: '', type: '', editable: null, multiple: false },
        point: { x: point.x + offset.x, y: point.y + offset.y },
        located: { locator: words, tried: index + 1 },
      },
    };
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) {
      if (thrown.code === 'TARGET_AMBIGUOUS') return { ambiguous: thrown };
      throw thrown;
    }
    /* A document that goes away in the middle of a look: the next one tells. Only the page going away for good ends here. */
    await pause(0, hand);
    return { failure: `${words}: ${firstLine(thrown)}` };
  }
}

/** What Playwright says of a failure, without its call log. */
export const firstLine = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')[0]?.replace(/^[\w.]+: (?:Error: )?/, '') ??
  '';

const ambiguity = (locator: string, { count, matches }: Look) =>
  new PilothouseError(
    'TARGET_AMBIGUOUS',
    `${locator} matches ${count} elements: ${matches.join(', ')}${count > matches.length ? ', …' : ''}; make it more exact, or say which with nth`,
    { details: { locator, count, matches } },
  );
