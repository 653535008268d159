import { toPilothouseError, type ErrorCode, type EventData, type Json, type Locator } from '@pilothouse/contract';
import { escapePointer } from '@pilothouse/core';
import { runAction, readSurface, type ActionResult, type ActionScope } from '../act.ts';

/** Milliseconds for seeing whether a text is there, and for reading the element that has it. */
const HOLDS_MS = 3_000;
const READ_MS = 5_000;

/** Most parts of an answer that are looked for; of a longer one none is. */
const MAX_PARTS = 10;

/** How an element that was there a moment ago may not be read. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'TARGET_NOT_FOUND',
  'TARGET_AMBIGUOUS',
  'TARGET_NOT_READY',
  'EXTRACTION_FAILED',
  'STEP_TIMED_OUT',
]);

type Stands = Pick<EventData<'agent.answered'>, 'reads' | 'missing'>;

/**
 * Looks for the parts of an answer on the page, each as the whole text of one element, so that the next run may read it there. Nothing is
 * waited for.
 * @returns null when there is no answer
 * @throws the reason of `halt`; what ends an attempt
 */
export async function locateAnswer(answer: Json, parts: ActionScope): Promise<Stands | null> {
  if (answer === null) return null;
  const leaves = leavesOf(answer);
  const reads: Stands['reads'] = [];
  const missing: string[] = [];
  for (const { at, value } of leaves) {
    const locators = leaves.length > MAX_PARTS ? [] : await locatorsOfText(value, parts);
    if (locators.length > 0) reads.push({ at, locators });
    else missing.push(at);
  }
  return { reads, missing };
}

/** The parts of an answer that are no objects; what is in a list is not taken apart. */
function leavesOf(value: Json, at = ''): { at: string; value: Json }[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ at, value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, `${at}/${escapePointer(key)}`));
}

async function locatorsOfText(value: Json, parts: ActionScope): Promise<Locator[]> {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '' || text.includes('{{')) return [];
  const target: Locator = { text, exact: true };
  const { surface, clock, halt } = parts;
  const isThere = await readSurface(clock.monotonic() + HOLDS_MS, parts, (context) =>
    surface.holds({ visible: target }, context),
  ).catch(() => false);
  halt.throwIfAborted();
  if (!isThere) return [];
  let read: ActionResult;
  try {
    read = await runAction({ action: 'extract', target, value: {} }, READ_MS, parts);
  } catch (thrown) {
    halt.throwIfAborted();
    if (passing.has(toPilothouseError(thrown).code)) return [];
    throw thrown;
  }
  // The text is what changes from run to run: no way that goes by it finds the next one.
  const said = JSON.stringify(text).slice(1, -1);
  return (read.outcome.located?.others ?? []).filter((locator) => !JSON.stringify(locator).includes(said));
}
