import {
  isEphemeralLocator,
  locatorKinds,
  toLocatorChain,
  PilothouseError,
  type Locator,
  type Target,
} from '@pilothouse/contract';
import {
  describeLocator,
  type LocatedElement,
  limitDeadline,
  raceDeadline,
  remainingMs,
  delayWithin,
  poll,
} from '@pilothouse/core';
import type { ElementHandle, Frame } from 'playwright-core';
import type { Aim, Armed } from './input-purpose.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';
import type { ArmCommand } from '../injected/hit-target-interceptor.ts';
import { Drawing } from './page-rendering.ts';
import { pointInPage, resolvePointed } from './pointed-element.ts';
import { notFoundError } from './not-found-report.ts';
import { fromHandle, fromLocator, type ElementRef } from './element-ref.ts';
import { resolveLocator } from './resolve-locator.ts';
import type { ActionContext } from '../action-context.ts';
import {
  checkActionability,
  type ElementKind,
  type ActionabilityResult,
  type ActionabilityState,
} from '../injected/actionability.ts';
import { playwrightMessage } from '../playwright-errors.ts';

/** The one element that a chain of locators found. */
export interface LocatedTarget {
  readonly one: ElementRef;
  readonly frame: Frame;
  readonly kind: ElementKind;
  /** Where to click, in pixels of the page; only when it was to be ready for input. */
  readonly point: { readonly x: number; readonly y: number };
  /** For the outcome of the step. */
  readonly located: LocatedElement;
  /** Where the interceptor waits for input; null: it was not armed. */
  readonly armed: Armed | null;
}

/** Part of the time that is kept for saying what was there instead, in milliseconds. */
const reserve = (hand: ActionContext) => Math.min(500, remainingMs(hand) * 0.2);

const NO_KIND: ElementKind = { tag: '', type: '', editable: null, multiple: false, saves: false };

/** How often the same failure of a look is believed to pass. */
const FAILURES = 4;

/** What one look came to. */
export interface LocateAttempt {
  found?: LocatedTarget;
  /** Meant by a number, a place or the focus: no other element can match. */
  isPointed?: boolean;
  ambiguous?: PilothouseError;
  problem?: { locator: string; why: string };
  failure?: string;
  /** Why an element that is meant by its number is not there; it does not come back. */
  gone?: string;
}

/**
 * The one element that the first fitting locator of a chain finds, waiting for it within the deadline. The whole chain is looked
 * at in each round. Matches count on a page that is settled, see `Drawing`.
 * @throws PilothouseError TARGET_NOT_FOUND with what is there instead, TARGET_AMBIGUOUS with the matches, TARGET_NOT_ACTIONABLE saying why
 */
export async function waitForTarget(
  hand: ActionContext,
  target: Target,
  need: ActionabilityState,
  aim: Aim = {},
): Promise<LocatedTarget> {
  const chain = toLocatorChain(target);
  await hand.settled();
  const until = { signal: hand.signal, deadline: hand.deadline - reserve(hand) };
  const failures = new Map<string, number>();
  const gone = new Map<number, string>();
  /** What the last round came to; undefined before its end. */
  let last: LocateAttempt | undefined;
  const drawing = new Drawing(hand, until);

  const found = await poll(async () => {
    let seen: LocateAttempt = {};
    for (const [index, locator] of chain.entries()) {
      const looked = await lookOnce(hand, locator, index, need, aim).catch((thrown: unknown) => {
        // The time was over in the middle of a look. What the round before saw is what is so; without one nobody knows.
        if (last && !hand.signal.aborted && thrown instanceof PilothouseError && thrown.code === 'STEP_TIMED_OUT')
          return null;
        throw thrown;
      });
      if (!looked) return undefined;
      seen = looked;
      if (seen.failure) failures.set(seen.failure, (failures.get(seen.failure) ?? 0) + 1);
      if (seen.gone) gone.set(index, seen.gone);
      if (seen.found || seen.ambiguous || seen.problem) break;
    }
    last = seen;
    if (last.ambiguous) {
      if (await drawing.isAmbiguous()) throw last.ambiguous;
      return undefined;
    }
    if (Math.max(0, ...failures.values()) >= FAILURES || gone.size === chain.length) return null;
    if (!last.found) drawing.reset();
    else if (!last.isPointed && !(await drawing.isUnique())) return undefined;
    return last.found;
  }, until);

  if (found) {
    if (!hand.before?.isWanted || need === 'place' || need === 'drop') return found;
    await hand.before.take(hand, found);
    /* An image takes its time: whether the element is still as it has to be is looked at again. */
    return waitForTarget(hand, target, need, aim);
  }
  if (last?.ambiguous) throw last.ambiguous;
  if (last?.problem) {
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${last.problem.locator} is there, but ${last.problem.why}`, {
      details: { ...last.problem },
    });
  }
  throw await notFoundError(hand, chain, [...failures.keys(), ...gone.values()]);
}

/** A chain looked at once: the element, or null; for what may be missing. @throws PilothouseError TARGET_AMBIGUOUS */
export async function findTarget(
  hand: ActionContext,
  target: Target,
  need: ActionabilityState,
  aim: Aim = {},
): Promise<LocatedTarget | null> {
  for (const [index, locator] of toLocatorChain(target).entries()) {
    const { found, ambiguous, problem } = await lookOnce(hand, locator, index, need, aim);
    if (ambiguous) throw ambiguous;
    if (found || problem) return found ?? null;
  }
  return null;
}

async function lookOnce(
  hand: ActionContext,
  locator: Locator,
  index: number,
  need: ActionabilityState,
  aim: Aim,
): Promise<LocateAttempt> {
  const words = describeLocator(locator);
  try {
    if (isEphemeralLocator(locator)) {
      const pointed = await lookAtPointed(hand, locator, need, { locator: words, triedCount: index + 1 }, aim);
      return { ...pointed, isPointed: true };
    }
    const resolved = await raceDeadline(resolveLocator(hand.page, locator, need !== 'attached'), hand, words);
    if (!resolved) return {};
    const located = { locator: words, triedCount: index + 1 };
    const seen = await checkElement(hand, fromLocator(resolved.all), resolved.frame, need, located, aim);
    return seen.found ? { found: withOthers(seen.found, locator, resolved.scope) } : seen;
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) {
      if (thrown.code === 'TARGET_AMBIGUOUS') return { ambiguous: thrown };
      if (thrown.code === 'TARGET_NOT_FOUND') return { gone: `${words}: ${thrown.message}` };
      throw thrown;
    }
    /* A document that goes away in the middle of a look: the next one tells. Only the page going away for good ends here. */
    await delayWithin(0, hand);
    return { failure: `${words}: ${playwrightMessage(thrown)}` };
  }
}

/**
 * Looks once at what is to be one element: whether it is one and as it is needed, and where input goes.
 * @throws what Playwright throws when the document goes away meanwhile
 */
export async function checkElement(
  hand: ActionContext,
  one: ElementRef,
  frame: Frame,
  need: ActionabilityState,
  located: LocatedTarget['located'],
  aim: Aim = {},
  checksName = hand.checksName,
): Promise<LocateAttempt> {
  const { locator } = located;
  const { input, position } = aim;
  const { tab } = hand;
  const arm = input && { ...tab.interceptors.next(), input, checksName };
  const lookNow = () => raceDeadline(one.evaluateAll(checkActionability, { need, position, arm }), hand, locator);
  let seen = await lookNow();
  if (!seen.isArmed) {
    await raceDeadline(tab.interceptors.install(frame, tab.wire), hand, locator);
    seen = await lookNow();
  }
  if (seen.count === 0) return {};
  if (seen.count > 1) return { ambiguous: ambiguity(locator, seen) };
  if (seen.problem !== null) return { problem: { locator, why: seen.problem } };
  if (!seen.isArmed) return { problem: { locator, why: 'its document does not let input be checked' } };
  const own = seen.point ?? { x: 0, y: 0 };
  const reveals = need !== 'attached' && need !== 'visible';
  const { entersFrame } = seen;
  const [point] = await Promise.all([
    seen.point ? raceDeadline(pointInPage(frame, own, reveals), hand, locator) : own,
    arm && !entersFrame ? armOtherDocuments(hand, tab, arm) : undefined,
  ]);
  if ('covered' in point) return { problem: { locator, why: point.covered } };
  const kind = seen.kind ?? NO_KIND;
  const others = seen.others;
  const armed = arm ? { id: arm.id, tab, entersFrame } : null;
  return { found: { one, frame, kind, point, located: { ...located, alternatives: others }, armed } };
}

/** Milliseconds in which the documents around the target are armed. A frame that is busy for longer cannot take input either. */
const GUARD_MS = 250;

/** Arms the documents that the input must not hit. */
async function armOtherDocuments(
  hand: ActionContext,
  tab: TrackedPage,
  { id, input }: Pick<ArmCommand, 'id' | 'input'>,
): Promise<void> {
  const guarding = tab.interceptors.guard(id, input);
  await raceDeadline(guarding, limitDeadline(hand, GUARD_MS), 'The look').catch(() => hand.signal.throwIfAborted());
}

/** What shows things that are no elements. */
const drawn: ReadonlySet<string> = new Set(['canvas', 'embed', 'object']);

/** The element that a number or a place means. Input goes to the very place. */
async function lookAtPointed(
  hand: ActionContext,
  locator: Locator,
  need: ActionabilityState,
  located: LocatedElement,
  aim: Aim,
): Promise<LocateAttempt> {
  const found = await raceDeadline(resolvePointed(hand.page, locator, hand), hand, located.locator);
  if (!found) return {};
  const { one, frame, point, check } = found;
  if (one.isOnlyPoint && point) {
    if (need === 'input' || need === 'place')
      return { found: { one, frame, kind: NO_KIND, point, located, armed: null } };
    return { problem: { locator: located.locator, why: 'it is in a closed shadow root, and can only be clicked' } };
  }
  // What has the focus takes keys, whatever lies over it and whatever its size is.
  const isReady = (point !== null && need === 'input') || locator.focus === true;
  const seen = await checkElement(
    hand,
    one,
    frame,
    isReady ? 'visible' : need,
    located,
    aim,
    check !== null || hand.checksName,
  );
  if (!seen.found) return seen;
  /* Its name may have changed since it was found. From here on the interceptor watches it. */
  if (seen.found.armed) await check?.();
  // Of what is drawn another way would find the whole, and its middle.
  const isTold = frame === hand.page.mainFrame() && !(point && drawn.has(seen.found.kind.tag));
  const scope = isTold || frame === hand.page.mainFrame() ? undefined : await frameScope(frame);
  const whole = isTold ? seen.found : withOthers(seen.found, locator, scope);
  return { found: { ...whole, point: point ?? whole.point } };
}

/**
 * What is told of the other ways to find the element: not the way it was found by, and in a frame by the way to that.
 * @param scope the locator of its frame, null for the page itself; without one nothing is told
 */
function withOthers(found: LocatedTarget, used: Locator, scope: Locator | null | undefined): LocatedTarget {
  const { alternatives: others = [], ...located } = found.located;
  if (scope === undefined) return { ...found, located };
  const isUsed = (other: Locator) =>
    used.css !== undefined ? other.css === used.css : locatorKinds.some((kind) => kind in other && kind in used);
  const told = others.filter((other) => !isUsed(other)).map((other) => (scope ? scopedTo(other, scope) : other));
  return { ...found, located: told.length > 0 ? { ...located, alternatives: told } : located };
}

/** A locator that is looked for inside of another one. */
const scopedTo = (locator: Locator, scope: Locator): Locator => ({
  ...locator,
  within: locator.within ? scopedTo(locator.within, scope) : scope,
});

/** A locator of the element that a frame is in, and of the frames around it; undefined: there is none. */
async function frameScope(frame: Frame): Promise<Locator | undefined> {
  try {
    const parent = frame.parentFrame();
    if (!parent) return undefined;
    const element = (await frame.frameElement()) as ElementHandle<Element>;
    const { others } = await fromHandle(element).evaluateAll(checkActionability, { need: 'attached' });
    await element.dispose();
    const [own] = others;
    if (!own || !parent.parentFrame()) return own;
    const around = await frameScope(parent);
    return around && scopedTo(own, around);
  } catch {
    // The frame went away in the middle of the look.
    return undefined;
  }
}

const ambiguity = (locator: string, { count, matches }: ActionabilityResult) =>
  new PilothouseError(
    'TARGET_AMBIGUOUS',
    `${locator} matches ${count} elements: ${matches.join(', ')}${count > matches.length ? ', …' : ''}; make it more exact, or say which with nth`,
    { details: { locator, count, matches } },
  );
