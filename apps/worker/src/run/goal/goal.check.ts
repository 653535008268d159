import { setTimeout as pause } from 'node:timers/promises';
import type { Condition, GoalStep } from '@pilothouse/contract';
import { verifyClaim, needsFullPage, type GoalClaim, type GoalVerdict, type GoalCriteria } from '@pilothouse/core';
import { readSurface, type ActionScope } from '../act.ts';
import { observeWithRetry } from './goal.look.ts';

/** Milliseconds that a page has to show what is claimed, and between two looks at it. */
const CHECK_MS = 5_000;
const AGAIN_MS = 200;
const HOLDS_MS = 3_000;
const ANCHORS_MS = 2_000;

type CheckParts = Pick<ActionScope, 'surface' | 'halt' | 'clock' | 'log'>;

/**
 * Sees whether a claim holds, by no more of the page than that needs: what the step expects, the texts of the author, the signs that the model named.
 * @param lost what the page lacks of what was entered; left out: nothing was
 * @param once the page is what it is: nothing is waited for
 * @throws the reason of `halt`; as `Surface.observe`
 */
export async function checkClaim(
  claim: GoalClaim,
  { expect, success = [] }: GoalStep,
  once: boolean,
  parts: CheckParts,
  lost?: GoalCriteria['lost'],
): Promise<GoalVerdict> {
  const { clock, halt } = parts;
  const until = clock.monotonic() + CHECK_MS;
  for (;;) {
    const condition = expect ? await holds(expect, parts) : null;
    const wanted = { success, condition, ...(lost && { lost }) };
    const seen = needsFullPage(claim, wanted) ? await observeWithRetry('page', parts) : await where(parts);
    const verdict = verifyClaim(claim, seen, wanted);
    if (verdict.result === 'met' || once || clock.monotonic() >= until) return verdict;
    await pause(AGAIN_MS, undefined, { signal: halt }).catch(() => halt.throwIfAborted());
  }
}

const where = (parts: CheckParts) =>
  readSurface(parts.clock.monotonic() + ANCHORS_MS, parts, (context) => parts.surface.anchors(context));

/** A surface that cannot say says no. */
async function holds(condition: Condition, parts: CheckParts): Promise<boolean> {
  const holding = await readSurface(parts.clock.monotonic() + HOLDS_MS, parts, (context) =>
    parts.surface.holds(condition, context),
  ).catch(() => false);
  parts.halt.throwIfAborted();
  return holding;
}
