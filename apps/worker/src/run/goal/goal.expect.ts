import { setTimeout as pause } from 'node:timers/promises';
import type { Expectation, Observation } from '@pilothouse/contract';
import { isAtAnchor, isEmptyExpectation, listChanged, unmetExpectation, type Anchors } from '@pilothouse/core';
import { readSurface, type ActionScope } from '../act.ts';
import { observeWithRetry } from './goal.look.ts';

/** Milliseconds that a page has to show what a turn is to lead to, from when its actions are done. */
export const EXPECT_TIMEOUT_MS = 5_000;
/** Milliseconds for which nothing may be on its way and nothing change until a page is taken as it is: a script may show something after a while. */
const QUIET_MS = 500;
/** Milliseconds between two looks. */
const AGAIN_MS = 50;
/** Milliseconds for asking where the surface is, and whether it shows a text. */
const ANCHORS_MS = 2_000;
const HOLDS_MS = 1_000;

type ExpectParts = Pick<ActionScope, 'surface' | 'halt' | 'clock' | 'log'>;

/**
 * Waits until the surface is where it is expected to be, by its anchors alone.
 * @param until monotonic milliseconds @returns where it is; it may be another place when nothing is on its way any more
 * @throws as `Surface.anchors`; the reason of `halt`
 */
export const waitForLocation = (anchor: string, until: number, parts: ExpectParts): Promise<Anchors> =>
  untilQuiet<Anchors>(until, parts, {
    look: () => readSurface(parts.clock.monotonic() + ANCHORS_MS, parts, (context) => parts.surface.anchors(context)),
    isSo: (where) => isAtAnchor(anchor, where),
    isOther: (one, other) => one.url !== other.url || one.title !== other.title,
  });

/** The same with the text of the page: until it shows all that is expected. */
export const waitForExpectation = (expects: Expectation, until: number, parts: ExpectParts): Promise<Observation> =>
  untilQuiet<Observation>(until, parts, {
    look: () => observeWithRetry('page', parts),
    isSo: (seen) => isEmptyExpectation(unmetExpectation(expects, seen)),
    isOther: (one, other) => one.loading || one.text?.text !== other.text?.text || listChanged(one, other),
  });

/** What of an expectation that holds a condition finds, too: not what stands in a field, or is only called so. @throws the reason of `halt` */
export async function keepFindableTexts({ anchor, indicators }: Expectation, parts: ExpectParts): Promise<Expectation> {
  const found: string[] = [];
  for (const text of indicators) {
    const holds = readSurface(parts.clock.monotonic() + HOLDS_MS, parts, (context) =>
      parts.surface.holds({ text }, context),
    );
    if (await holds.catch(() => false)) found.push(text);
    parts.halt.throwIfAborted();
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
  { surface, clock, halt }: ExpectParts,
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
    await pause(AGAIN_MS, undefined, { signal: halt }).catch(() => halt.throwIfAborted());
  }
}
