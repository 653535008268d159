import type { LocatedTarget, Aim, LocateAttempt } from './located-target.ts';
import {
  isEphemeralLocator,
  toLocatorChain,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, raceDeadline, remainingMs, delayWithin, poll } from '@pilothouse/core/time/deadlines';
import { LocatorLog } from '@pilothouse/core/workflow/locator-log';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { Frame } from 'playwright-core';
import type { TrackedPage } from '../pages/tracked-page.ts';
import type { ArmCommand } from '../injected/hit-result.ts';
import { RenderingMonitor } from './page-rendering.ts';
import { pointInPage, resolvePointed } from './pointed-element.ts';
import { LocatorAgreement } from './locator-agreement.ts';
import { createNotFoundError } from './not-found-report.ts';
import { fromLocator, type ElementRef } from '../pages/element-ref.ts';
import { hasTexts, resolveLocator, type TextSearch } from './resolve-locator.ts';
import { frameScope, scopedTo, withAlternatives } from './alternative-scope.ts';
import type { ActionContext } from '../action-context.ts';
import { checkActionability } from '../injected/actionability.ts';
import type { ActionabilityResult, ActionabilityState, ElementKind } from '../injected/actionability-result.ts';
import { playwrightMessage } from '../playwright-errors.ts';

/** Time reserved for the error report, in milliseconds. */
const reportReserveMs = (ctx: ActionContext) => Math.min(500, remainingMs(ctx) * 0.2);

/** States of elements that receive input. Only reading an element does no harm. */
const inputStates: ReadonlySet<ActionabilityState> = new Set(['input', 'editable', 'enabled', 'point', 'drop']);

const NO_KIND: ElementKind = { tag: '', type: '', editable: null, multiple: false, saves: false };

/** Number of identical failures that are considered transient. */
const MAX_TRANSIENT_FAILURES = 4;

/**
 * Waits within the deadline for the single element of the first matching locator. Each round tries the whole chain.
 * Matches count once the page has settled, see `RenderingMonitor`.
 * @throws PilothouseError TARGET_NOT_FOUND with what exists instead or with the other name of the element, TARGET_AMBIGUOUS with
 * the matches or with the elements of two locators, TARGET_NOT_ACTIONABLE with the reason
 */
export async function waitForTarget(
  ctx: ActionContext,
  target: Target,
  state: ActionabilityState,
  aim: Aim = {},
): Promise<LocatedTarget> {
  const chain = toLocatorChain(target);
  await ctx.waitUntilSettled();
  const locateDeadline = { signal: ctx.signal, deadline: ctx.deadline - reportReserveMs(ctx) };
  const failures = new Map<string, number>();
  const removed = new Map<number, string>();
  /** Result of the last complete round. */
  let last: LocateAttempt | undefined;
  const rendering = new RenderingMonitor(ctx, locateDeadline);
  const agreement = new LocatorAgreement(ctx, target, locateDeadline);
  const tried = new LocatorLog(chain);

  const match = await poll(async () => {
    let attempt: LocateAttempt = {};
    for (const [index, locator] of chain.entries()) {
      const result = await tryLocator(ctx, locator, index, state, aim).catch((error: unknown) => {
        // The deadline hit during this round. The result of the previous round is reported, if there is one.
        if (last && !ctx.signal.aborted && error instanceof PilothouseError && error.code === 'STEP_TIMED_OUT')
          return null;
        throw error;
      });
      if (!result) return undefined;
      attempt = result;
      tried.add(index, result.matchCount ?? 0);
      if (attempt.failure) failures.set(attempt.failure, (failures.get(attempt.failure) ?? 0) + 1);
      if (attempt.removed) removed.set(index, attempt.removed);
      if (attempt.match || attempt.ambiguous || attempt.problem) break;
    }
    last = attempt;
    if (last.ambiguous) {
      if (await rendering.isAmbiguous()) throw last.ambiguous;
      return undefined;
    }
    if (Math.max(0, ...failures.values()) >= MAX_TRANSIENT_FAILURES || removed.size === chain.length) return null;
    if (!last.match) {
      rendering.reset();
      agreement.reset();
      return undefined;
    }
    if (!last.isPointed && !(await rendering.isUnique())) return undefined;
    const { match, ownLocators } = last;
    const isUsed = !inputStates.has(state) || (await agreement.accepts(match.located, rendering, ownLocators));
    return isUsed ? match : undefined;
  }, locateDeadline);

  if (match) {
    if (!ctx.preActionImage?.isPending || state === 'point' || state === 'drop')
      return { ...match, located: { ...match.located, tried: tried.entries } };
    await ctx.preActionImage.capture(ctx, match);
    // The screenshot takes time, so the element is checked again.
    return waitForTarget(ctx, target, state, aim);
  }
  const conflict = last?.ambiguous ?? agreement.error;
  if (conflict) throw conflict;
  if (last?.problem) {
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${last.problem.locator} is there, but ${last.problem.reason}`, {
      details: { ...last.problem },
    });
  }
  throw await createNotFoundError(ctx, chain, [...failures.keys(), ...removed.values()]);
}

/**
 * Tries a chain once. Before input, the caller must check the match with `LocatorAgreement`.
 * @returns null if there is no match
 * @throws PilothouseError TARGET_AMBIGUOUS
 */
export async function findTarget(
  ctx: ActionContext,
  target: Target,
  state: ActionabilityState,
  aim: Aim = {},
): Promise<LocatedTarget | null> {
  for (const [index, locator] of toLocatorChain(target).entries()) {
    const { match, ambiguous, problem } = await tryLocator(ctx, locator, index, state, aim);
    if (ambiguous) throw ambiguous;
    if (match || problem) return match ?? null;
  }
  return null;
}

async function tryLocator(
  ctx: ActionContext,
  locator: Locator,
  index: number,
  state: ActionabilityState,
  aim: Aim,
): Promise<LocateAttempt> {
  const words = describeLocator(locator);
  try {
    if (isEphemeralLocator(locator)) {
      const pointed = await checkPointed(ctx, locator, state, { locator: words, triedCount: index + 1 }, aim);
      return { ...pointed, isPointed: true };
    }
    const located = { locator: words, triedCount: index + 1 };
    const check = async (search: TextSearch): Promise<LocateAttempt> => {
      const isVisible = state !== 'attached' && state !== 'enabled';
      const resolved = await raceDeadline(resolveLocator(ctx.page, locator, isVisible, search), ctx, words);
      if (!resolved) return {};
      const attempt = await checkElement(ctx, fromLocator(resolved.matches), resolved.frame, state, located, aim);
      if (!attempt.match) return attempt;
      const ownLocators = (attempt.match.located.alternatives ?? []).map((alternative) =>
        scopedTo(alternative, resolved.scope),
      );
      return { matchCount: 1, match: withAlternatives(attempt.match, locator, resolved.scope), ownLocators };
    };
    const literal = await check('literal');
    const isMissing = !literal.match && !literal.ambiguous && !literal.problem;
    return isMissing && hasTexts(locator) ? await check('lookalike') : literal;
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) {
      if (error.code === 'TARGET_AMBIGUOUS') return { ambiguous: error };
      if (error.code === 'TARGET_NOT_FOUND') return { removed: `${words}: ${error.message}` };
      throw error;
    }
    // The document changed during the attempt, so the next attempt decides. Only a closed page ends here.
    await delayWithin(0, ctx);
    return { failure: `${words}: ${playwrightMessage(error)}` };
  }
}

/**
 * Checks once that an element is unique and in the required state, and computes where input goes.
 * @throws the error of Playwright if the document is replaced meanwhile
 */
export async function checkElement(
  ctx: ActionContext,
  ref: ElementRef,
  frame: Frame,
  state: ActionabilityState,
  located: LocatedTarget['located'],
  aim: Aim = {},
  checksName = ctx.checksName,
): Promise<LocateAttempt> {
  const { locator } = located;
  const { input, position } = aim;
  const { tab } = ctx;
  const arm = input && { ...tab.interceptors.next(input), input, checksName };
  const check = () => raceDeadline(ref.evaluateAll(checkActionability, { state, position, arm }), ctx, locator);
  let attempt = await check();
  if (!attempt.isArmed) {
    await raceDeadline(tab.interceptors.install(frame, tab.cdp), ctx, locator);
    attempt = await check();
  }
  if (attempt.count === 0) return {};
  if (attempt.count > 1) return { matchCount: attempt.count, ambiguous: ambiguousError(locator, attempt) };
  if (attempt.problem !== null) return { matchCount: 1, problem: { locator, reason: attempt.problem } };
  if (!attempt.isArmed)
    return { matchCount: 1, problem: { locator, reason: 'input to its document cannot be verified' } };
  const framePoint = attempt.point ?? { x: 0, y: 0 };
  const reveals = state !== 'attached' && state !== 'enabled' && state !== 'visible';
  const { entersFrame } = attempt;
  const [point] = await Promise.all([
    attempt.point ? raceDeadline(pointInPage(frame, framePoint, reveals), ctx, locator) : framePoint,
    arm && !entersFrame ? armOtherDocuments(ctx, tab, arm) : undefined,
  ]);
  if ('covered' in point) return { matchCount: 1, problem: { locator, reason: point.covered } };
  const kind = attempt.kind ?? NO_KIND;
  const alternatives = attempt.alternatives;
  const armed = arm ? { id: arm.id, tab, entersFrame } : null;
  return { matchCount: 1, match: { ref, frame, kind, point, located: { ...located, alternatives }, armed } };
}

/**
 * Timeout for arming the documents around the target. A frame that is busy for longer cannot receive input either.
 */
const ARM_TIMEOUT_MS = 250;

/** Arms the documents that the input must not hit. */
export async function armOtherDocuments(
  ctx: ActionContext,
  tab: TrackedPage,
  { id, input }: Pick<ArmCommand, 'id' | 'input'>,
): Promise<void> {
  const arming = tab.interceptors.guard(id, input);
  await raceDeadline(arming, limitDeadline(ctx, ARM_TIMEOUT_MS), 'Arming other documents').catch(() =>
    ctx.signal.throwIfAborted(),
  );
}

/** Elements that draw their content without child elements. */
const canvasTags: ReadonlySet<string> = new Set(['canvas', 'embed', 'object']);

/** Checks the element of an index or a point. Input goes to that exact point. */
async function checkPointed(
  ctx: ActionContext,
  locator: Locator,
  state: ActionabilityState,
  located: LocatedElement,
  aim: Aim,
): Promise<LocateAttempt> {
  const match = await raceDeadline(resolvePointed(ctx.page, locator, ctx), ctx, located.locator);
  if (!match) return {};
  const { ref, frame, point, check } = match;
  if (ref.isOnlyPoint && point) {
    if (state === 'input' || state === 'hover' || state === 'point')
      return { matchCount: 1, match: { ref, frame, kind: NO_KIND, point, located, armed: null } };
    return { problem: { locator: located.locator, reason: 'it is in a closed shadow root, and can only be clicked' } };
  }
  // The focused element receives keys even if it is covered or empty.
  const isReady = (point !== null && (state === 'input' || state === 'hover')) || locator.focus === true;
  const attempt = await checkElement(
    ctx,
    ref,
    frame,
    isReady ? 'visible' : state,
    located,
    aim,
    check !== null || ctx.checksName,
  );
  if (!attempt.match) return attempt;
  // Its name may have changed since it was found. From now on the interceptor watches the name.
  if (attempt.match.armed) await check?.();
  // Other locators would find the whole canvas, and its center.
  const keepsAlternatives = frame === ctx.page.mainFrame() && !(point && canvasTags.has(attempt.match.kind.tag));
  const scope = keepsAlternatives || frame === ctx.page.mainFrame() ? undefined : await frameScope(frame);
  const scoped = keepsAlternatives ? attempt.match : withAlternatives(attempt.match, locator, scope);
  return { matchCount: 1, match: { ...scoped, point: point ?? scoped.point } };
}

const ambiguousError = (locator: string, { count, matches }: ActionabilityResult) =>
  new PilothouseError(
    'TARGET_AMBIGUOUS',
    `${locator} matches ${count} elements: ${matches.join(', ')}${count > matches.length ? ', …' : ''}; make it more exact, or select one with nth`,
    { details: { locator, count, matches } },
  );
