import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import { limitDeadline, raceDeadline, remainingMs, delayWithin } from '@pilothouse/core/time/deadlines';
import { sendInput } from '../browser.input.ts';
import type { ElementKind } from '../injected/actionability-result.ts';
import type { HitResult, PointerInput } from '../injected/hit-result.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';
import type { LocatedTarget, Aim, Armed } from './located-target.ts';
import type { ActionContext } from '../action-context.ts';

/** A blocked input is not retried with less time left, because locating the element would time out. */
export const MIN_RETRY_MS = 150;

/** Timeout for disarming documents, which may be unloading. */
const DISARM_MS = 250;

const RETRY_DELAY_MS = 50;

/** Maximum number of presses that reach the target without a click. */
const MAX_LOST_CLICKS = 3;

/** Maximum delay of the report about a press that replaced its document. */
const REPORT_TIMEOUT_MS = 1000;

/** Point in CSS pixels of the page. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One pointer input. */
export interface Input {
  /** Begins the error message of a timeout, for example `The click`. */
  readonly subject: string;
  /** Sends the input. */
  send(point: Point): Promise<void>;
  /** Number of clicks that must reach the target. Default: a press needs no click, because it starts a drag. */
  readonly clicks?: number;
  /** True if the press may submit fields of the page. They are read before it. */
  readonly isSubmitting?: boolean;
  /** Ends a blocked input, for example releases a held button. Its events are blocked as well. */
  release?(): Promise<void>;
}

/** The element that an input reached. */
export interface SentInput extends LocatedTarget {
  /** `unverifiable` with a reason: the press reached the element, but its click did not, although the page may have handled the press. */
  readonly effect: ActionEffect;
}

/**
 * Sends a press whose events reach the target or nothing. If another element would receive them, they are stopped,
 * the input counts as not sent, and the target is located again within the deadline.
 * @param find locates the element, armed for the aim
 * @throws what `find` throws; PilothouseError TARGET_NOT_ACTIONABLE if it stays covered
 */
export const press = (
  ctx: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
): Promise<SentInput> => sendUntilHit(ctx, find, input, 'press');

/**
 * Moves the pointer over an element. If another element receives the moves, the target is located again.
 * @throws as `press`
 */
export const moveOver = (
  ctx: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
): Promise<SentInput> => sendUntilHit(ctx, find, input, 'hover');

async function sendUntilHit(
  ctx: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
  kind: PointerInput,
): Promise<SentInput> {
  for (let lostClicks = 0; ;) {
    const { tab } = ctx;
    try {
      const match = await find({ input: kind });
      if (input.isSubmitting && (await ctx.entered.restore(ctx))) continue;
      const result = await sendToTarget(ctx, match, input, kind);
      const miss = toMissedHit(result, match.armed, kind);
      if (miss !== null) {
        await retryLater(ctx, match, missReason(miss), isFinalMiss(ctx, miss));
        continue;
      }
      if (input.isSubmitting && !isField(match.kind)) {
        const page = match.frame.page();
        if (match.kind.type === 'reset') ctx.entered.forget(page);
        else ctx.entered.clicked(page, match.located.locator);
      }
      const lost = await toLostClick(ctx, match, input);
      if (lost === null) return { ...match, effect: arrivalOf(result, match) };
      if (lost.effect) return { ...match, effect: lost.effect };
      lostClicks += 1;
      await retryLater(ctx, match, lost.reason, lost.isFinal || lostClicks >= MAX_LOST_CLICKS);
    } finally {
      await disarm(ctx, tab, input.subject);
    }
  }
}

/** True if a click on the element only moves the focus or changes the element. */
const isField = ({ tag, type, editable }: ElementKind) =>
  editable !== null || tag === 'select' || tag === 'label' || type === 'checkbox' || type === 'radio';

/** Disarms the interceptors of all documents. Never throws. */
export const disarm = (ctx: ActionContext, tab: TrackedPage, subject: string): Promise<void> =>
  raceDeadline(tab.interceptors.disarm(), limitDeadline(ctx, DISARM_MS), subject).catch(() => undefined);

type MissedHit = Exclude<HitResult, { hit: 'target' }>;

/** Returns why the input missed its target, or null if it reached the target or cannot be checked. */
function toMissedHit(result: HitResult, armed: Armed | null, kind: PointerInput): MissedHit | null {
  if (!armed || result.hit === 'target') return null;
  if (result.hit === 'other' || result.hit === 'renamed') return result;
  // A move to the current position sends no event. Input that closes its own page counts as received.
  if (kind === 'hover' || armed.tab.page.isClosed()) return null;
  return result.hit === 'none' && armed.entersFrame ? null : result;
}

/** True if the interceptors kept the events of a press from the page. */
const isStopped = (miss: MissedHit | null) => miss?.hit === 'other' || miss?.hit === 'renamed';

function missReason(miss: MissedHit): string {
  switch (miss.hit) {
    case 'other':
      return `it is covered by ${miss.description}`;
    case 'renamed':
      return 'its name changed before it was pressed';
    case 'none':
      return 'its document received no press event: a frame may cover it';
    case 'gone':
      return 'its document was replaced before it received the press: observe the page before the next step';
  }
}

/** True if another try could press something else. Locating the element again would accept a name that was not reviewed. */
const isFinalMiss = (ctx: ActionContext, miss: MissedHit) =>
  (miss.hit === 'renamed' && ctx.checksName) || miss.hit === 'gone';

/** @throws PilothouseError TARGET_NOT_ACTIONABLE if no time is left, or if the miss is final */
async function retryLater(
  ctx: ActionContext,
  { located }: LocatedTarget,
  reason: string,
  isFinal: boolean,
): Promise<void> {
  if (isFinal || remainingMs(ctx) < MIN_RETRY_MS) {
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${located.locator} is there, but ${reason}`, {
      details: { locator: located.locator, reason },
    });
  }
  await delayWithin(RETRY_DELAY_MS, ctx);
}

/** Input that closed its own page, or whose events its target reported, arrived. Other input, for example into a foreign frame, was not seen. */
const arrivalOf = ({ hit }: HitResult, { armed, frame }: LocatedTarget): ActionEffect => ({
  effect: hit === 'target' || (armed?.tab.page ?? frame.page()).isClosed() ? 'confirmed' : 'unverifiable',
});

/** A press that reached its target without all of its clicks. */
interface LostClick {
  readonly reason: string;
  /** Set if the page may have handled the press instead of the click. Another press could then repeat the effect. */
  readonly effect?: ActionEffect;
  readonly isFinal?: boolean;
}

/**
 * Returns why a press that reached its target did not click it; null if it did, or if the page acted on the press and
 * changed the target. The interceptor reports each click, so a normal click needs no answer of the page.
 */
async function toLostClick(ctx: ActionContext, match: LocatedTarget, input: Input): Promise<LostClick | null> {
  const { armed, kind } = match;
  const { clicks } = input;
  // A press on a native list opens its popup.
  if (!armed || armed.entersFrame || clicks === undefined || kind.tag === 'select') return null;
  const { tab, id } = armed;
  // The report may be in the same batch of messages as the end of the input.
  if (tab.interceptors.clicks < clicks) await new Promise((resolve) => setImmediate(resolve));
  if (tab.interceptors.clicks >= clicks) return null;
  const cancelWait = new AbortController();
  try {
    const answer = await raceDeadline(
      Promise.race([
        tab.interceptors.waitForClicks(clicks).then(() => null),
        tab.interceptors.readPress(id),
        tab.waitForNavigation(cancelWait.signal).then(() => null),
      ]),
      ctx,
      input.subject,
    );
    if (!answer || answer.clicks >= clicks || answer.hasActed || tab.page.isClosed()) return null;
    const reason =
      answer.clicks > 0
        ? `it received ${answer.clicks} of ${clicks} clicks, because the page changed`
        : 'it received no click, because the page changed during the press';
    const isHandled = answer.isHandled || (await raceDeadline(tab.interceptors.handlesPress(id), ctx, input.subject));
    if (isHandled)
      return { reason, effect: { effect: 'unverifiable', effectReason: `the element is there, but ${reason}` } };
    return { reason, isFinal: answer.clicks > 0 };
  } finally {
    cancelWait.abort();
  }
}

async function sendToTarget(
  ctx: ActionContext,
  { armed, point }: LocatedTarget,
  input: Input,
  kind: PointerInput,
): Promise<HitResult> {
  let result: HitResult = { hit: 'gone' };
  await sendInput(
    ctx,
    input.subject,
    () => input.send(point),
    async () => {
      if (armed) result = await raceDeadline(hitResult(ctx, armed), ctx, input.subject);
      const miss = toMissedHit(result, armed, kind);
      if (kind === 'hover' || miss === null) return false;
      await input.release?.();
      return isStopped(miss);
    },
  );
  return result;
}

/**
 * Returns what the input hit. An interceptor reports it with the first event. Without a report, all interceptors are
 * asked; Chromium does not ask a document that is being replaced.
 */
export async function hitResult(ctx: ActionContext, { id, tab }: Armed): Promise<HitResult> {
  const { reported } = tab.interceptors;
  const immediate = await Promise.race([reported, new Promise<null>((resolve) => setImmediate(resolve, null))]);
  if (immediate) return immediate;
  const cancelWait = new AbortController();
  try {
    const result = await Promise.race([
      reported,
      tab.interceptors.read(id),
      tab.waitForNavigation(cancelWait.signal).then((): HitResult => ({ hit: 'gone' })),
    ]);
    if (result.hit !== 'gone') return result;
    return await Promise.race([reported, delayWithin(REPORT_TIMEOUT_MS, ctx).then(() => result)]);
  } finally {
    cancelWait.abort();
  }
}
