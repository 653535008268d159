import { PilothouseError } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, remainingMs, delayWithin } from '@pilothouse/core';
import { sendInput } from '../browser.input.ts';
import type { HitResult, PointerInput } from '../injected/hit-target-interceptor.ts';
import type { LocatedTarget } from './locate-element.ts';
import type { Aim, Armed } from './input-purpose.ts';
import type { ActionContext } from '../action-context.ts';

/** Milliseconds of the step in which a blocked input is not tried again: the look before it would be cut short. */
export const LAST_TRY_MS = 150;

/** Milliseconds for disarming the documents, which may be on their way out. */
const DISARM_MS = 250;

/** Milliseconds between two tries of a blocked input. */
const RETRY_MS = 50;

/** Milliseconds in which the report of a press that replaced its document comes. */
const LATE_REPORT_MS = 1000;

/** A place in CSS pixels of the page. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One kind of pointer input. */
export interface Input {
  /** Begins the sentence when it does not end in time, for example `The click`. */
  readonly what: string;
  /** Sends it. */
  send(point: Point): Promise<void>;
  /** Ends what a blocked input began, for example a button that is held. Its events are blocked as well. */
  release?(): Promise<void>;
}

/**
 * Sends input that presses an element: its events reach that element or nothing. When another element would get them, they are stopped,
 * nothing counts as sent, and the element is looked for again within the deadline.
 * @param find the element, armed for the aim
 * @throws what `find` throws; PilothouseError TARGET_NOT_ACTIONABLE when it stays covered
 */
export const press = (
  hand: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
): Promise<LocatedTarget> => untilReached(hand, find, input, 'press');

/** Moves the pointer over an element. Where another one gets the moves, the element is looked for again. @throws as `press` */
export const moveOver = (
  hand: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
): Promise<LocatedTarget> => untilReached(hand, find, input, 'hover');

async function untilReached(
  hand: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
  kind: PointerInput,
): Promise<LocatedTarget> {
  for (;;) {
    const { tab } = hand;
    try {
      const found = await find({ input: kind });
      const missed = toMissedHit(await sendTo(hand, found, input, kind), found.armed, kind);
      if (missed === null) return found;
      await retryLater(hand, found, missed);
    } finally {
      await raceDeadline(tab.interceptors.disarm(), limitDeadline(hand, DISARM_MS), input.what).catch(() => undefined);
    }
  }
}

type Missed = Exclude<HitResult, { hit: 'target' }>;

/** Returns why the input missed its target, or null if it reached the target or cannot be checked. */
function toMissedHit(result: HitResult, armed: Armed | null, kind: PointerInput): Missed | null {
  if (!armed || result.hit === 'target') return null;
  if (result.hit === 'other' || result.hit === 'renamed') return result;
  /* A move to where the pointer is already makes no event. A page that its own input closes has taken it. */
  if (kind === 'hover' || armed.tab.page.isClosed()) return null;
  return result.hit === 'none' && armed.entersFrame ? null : result;
}

/** True if the interceptors kept the events of a press from the page. */
const isStopped = (missed: Missed | null) => missed?.hit === 'other' || missed?.hit === 'renamed';

function why(missed: Missed): string {
  switch (missed.hit) {
    case 'other':
      return `it is covered by ${missed.description}`;
    case 'renamed':
      return 'its name changed before it was pressed';
    case 'none':
      return 'its document received no press event: a frame may cover it';
    case 'gone':
      return 'its document was replaced before it received the press: observe the page before the next step';
  }
}

/** @throws PilothouseError TARGET_NOT_ACTIONABLE when there is no time left, or another try could press something else */
async function retryLater(hand: ActionContext, { located }: LocatedTarget, missed: Missed): Promise<void> {
  /* The next look would take the new name for the one that the element was judged by. */
  const isFinal = (missed.hit === 'renamed' && hand.checksName) || missed.hit === 'gone';
  if (isFinal || remainingMs(hand) < LAST_TRY_MS) {
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${located.locator} is there, but ${why(missed)}`, {
      details: { locator: located.locator, why: why(missed) },
    });
  }
  await delayWithin(RETRY_MS, hand);
}

async function sendTo(
  hand: ActionContext,
  { armed, point }: LocatedTarget,
  input: Input,
  kind: PointerInput,
): Promise<HitResult> {
  let result: HitResult = { hit: 'gone' };
  await sendInput(
    hand,
    input.what,
    () => input.send(point),
    async () => {
      if (armed) result = await raceDeadline(resultOf(hand, armed), hand, input.what);
      const missed = toMissedHit(result, armed, kind);
      if (kind === 'hover' || missed === null) return false;
      await input.release?.();
      return isStopped(missed);
    },
  );
  return result;
}

/**
 * Returns the element that the input hit. An interceptor reports it with the first event. Without a report, all interceptors are asked;
 * Chromium does not ask a document that is being replaced.
 */
async function resultOf(hand: ActionContext, { id, tab }: Armed): Promise<HitResult> {
  const { reported } = tab.interceptors;
  const early = await Promise.race([reported, new Promise<null>((resolve) => setImmediate(resolve, null))]);
  if (early) return early;
  const ended = new AbortController();
  try {
    const result = await Promise.race([
      reported,
      tab.interceptors.read(id),
      tab.leaves(ended.signal).then((): HitResult => ({ hit: 'gone' })),
    ]);
    if (result.hit !== 'gone') return result;
    return await Promise.race([reported, delayWithin(LATE_REPORT_MS, hand).then(() => result)]);
  } finally {
    ended.abort();
  }
}
