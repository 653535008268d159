import { PilothouseError } from '@pilothouse/contract';
import { send } from '../browser.input.ts';
import { inPage } from '../page/in-page.ts';
import { askHitTarget, type HitResult } from '../page/hit-target-interceptor.ts';
import type { Found } from '../target/locate.ts';
import type { Aim } from '../target/aim.ts';
import type { Hand } from '../hand.ts';
import { atMost, bounded, left, pause } from '../wait.ts';

/** Milliseconds of the step in which a blocked input is not tried again: the look before it would be cut short. */
const LAST_TRY_MS = 150;

/** Milliseconds for disarming a document, which may be on its way out. */
const STOP_MS = 500;

/** Milliseconds between two tries of a blocked input. */
const RETRY_MS = 50;

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
 * @throws what `find` throws; PilothouseError TARGET_NOT_READY when it stays covered
 */
export async function press(hand: Hand, find: (aim: Aim) => Promise<Found>, input: Input): Promise<Found> {
  for (;;) {
    const found = await find({ input: 'press' });
    const result = await sendTo(hand, found, input, true);
    if (!isElsewhere(result)) return found;
    await retryLater(hand, found, result);
  }
}

/** Moves the pointer over an element. Where another one gets the moves, the element is looked for again. @throws as `press` */
export async function moveOver(hand: Hand, find: (aim: Aim) => Promise<Found>, input: Input): Promise<Found> {
  for (;;) {
    const found = await find({ input: 'hover' });
    const result = await sendTo(hand, found, input, false);
    if (!isElsewhere(result)) return found;
    await retryLater(hand, found, result);
  }
}

type Elsewhere = Extract<HitResult, { hit: 'other' | 'renamed' }>;

const isElsewhere = (result: HitResult): result is Elsewhere => result.hit === 'other' || result.hit === 'renamed';

const why = (result: Elsewhere) =>
  result.hit === 'renamed' ? 'its name changed before it was pressed' : `it is covered by ${result.description}`;

async function retryLater(hand: Hand, { located }: Found, result: Elsewhere): Promise<void> {
  /* The next look would take the new name for the one that the element was judged by. */
  const isFinal = result.hit === 'renamed' && hand.checksName;
  if (isFinal || left(hand) < LAST_TRY_MS) {
    throw new PilothouseError('TARGET_NOT_READY', `${located.locator} is there, but ${why(result)}`, {
      details: { locator: located.locator, why: why(result) },
    });
  }
  await pause(RETRY_MS, hand);
}

async function sendTo(hand: Hand, found: Found, input: Input, blocks: boolean): Promise<HitResult> {
  let result = { hit: 'gone' } as HitResult;
  let isKnown = false;
  try {
    await send(
      hand,
      input.what,
      () => input.send(found.point),
      async () => {
        result = await bounded(resultOf(hand, found), hand, input.what);
        isKnown = true;
        const isBlocked = blocks && isElsewhere(result);
        if (isBlocked) await input.release?.();
        return isBlocked;
      },
    );
  } finally {
    /* What has hit its target lets everything through from then on. In other cases the page would block a person. */
    if (!isKnown || isElsewhere(result) || result.hit === 'none')
      await bounded(ask(hand, found, 'stop'), atMost(hand, STOP_MS), input.what).catch(() => undefined);
  }
  if (blocks && result.hit === 'none') await mustHaveReached(hand, found, input);
  return result;
}

/**
 * What the input hit. An interceptor reports it with the first event. Where none came by the end of the input, the documents are asked;
 * Chromium does not ask a document that is being replaced.
 */
async function resultOf(hand: Hand, found: Found): Promise<HitResult> {
  if (!found.armed) return { hit: 'gone' };
  const { reported } = hand.tab.interceptors;
  const early = await Promise.race([reported, new Promise<null>((resolve) => setImmediate(resolve, null))]);
  if (early) return early;
  const ended = new AbortController();
  try {
    return await Promise.race([
      reported,
      ask(hand, found, 'read'),
      hand.tab.leaves(ended.signal).then((): HitResult => ({ hit: 'gone' })),
    ]);
  } finally {
    ended.abort();
  }
}

/** Asks the interceptors in the document of the target and in those around what the input hit. `stop` disarms them. */
async function ask(hand: Hand, { armed }: Found, command: 'read' | 'stop'): Promise<HitResult> {
  if (!armed) return { hit: 'gone' };
  const { token } = hand.tab.interceptors;
  const results = await Promise.all(
    armed.frames.map(async (frame): Promise<HitResult> => {
      const asked = frame.locator('css=:root').evaluateAll(askHitTarget, { token, command: `${command} ${armed.id}` });
      const answer = await asked.catch(() => null);
      return answer === null ? { hit: 'gone' } : (JSON.parse(answer) as HitResult);
    }),
  );
  return results.find(isElsewhere) ?? results[0] ?? { hit: 'gone' };
}

/** Elements whose content has a document of its own. */
const embedded: ReadonlySet<string> = new Set(['iframe', 'frame', 'object', 'embed']);

/** Where no event came to the document of the target, another document may have taken them: a frame that came over it. */
async function mustHaveReached(hand: Hand, found: Found, { what }: Input): Promise<void> {
  const { frame, located, point, armed, kind } = found;
  if (!armed || frame.parentFrame() || embedded.has(kind.tag)) return;
  const seen = await bounded(frame.locator('css=:root').evaluateAll(frameOver, point), hand, what).catch(() => null);
  hand.signal.throwIfAborted();
  if (!seen) return;
  throw new PilothouseError(
    'TARGET_NOT_READY',
    `${what} went into ${seen}, which came over ${located.locator}; look at the page before the next step`,
    { details: { locator: located.locator } },
  );
}

const frameOver = inPage((_: Element[], { x, y }: Point, tools): string | null => {
  const hit = document.elementFromPoint(x, y);
  return hit?.matches('iframe, frame, object, embed') ? tools.describe(hit) : null;
});
