import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { limitDeadline, raceDeadline, remainingMs, delayWithin } from '@pilothouse/core/time/deadlines';
import { sendInput } from '../browser.input.ts';
import type { HitResult, PointerInput } from '../injected/hit-target-interceptor.ts';
import type { LocatedTarget, Aim, Armed } from './located-target.ts';
import type { ActionContext } from '../action-context.ts';

/** A blocked input is not retried with less time left, because locating the element would time out. */
export const MIN_RETRY_MS = 150;

/** Timeout for disarming documents, which may be unloading. */
const DISARM_MS = 250;

const RETRY_DELAY_MS = 50;

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
  /** Ends a blocked input, for example releases a held button. Its events are blocked as well. */
  release?(): Promise<void>;
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
): Promise<LocatedTarget> => sendUntilHit(ctx, find, input, 'press');

/**
 * Moves the pointer over an element. If another element receives the moves, the target is located again.
 * @throws as `press`
 */
export const moveOver = (
  ctx: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
): Promise<LocatedTarget> => sendUntilHit(ctx, find, input, 'hover');

async function sendUntilHit(
  ctx: ActionContext,
  find: (aim: Aim) => Promise<LocatedTarget>,
  input: Input,
  kind: PointerInput,
): Promise<LocatedTarget> {
  for (;;) {
    const { tab } = ctx;
    try {
      const match = await find({ input: kind });
      const miss = toMissedHit(await sendToTarget(ctx, match, input, kind), match.armed, kind);
      if (miss === null) return match;
      await retryLater(ctx, match, miss);
    } finally {
      await raceDeadline(tab.interceptors.disarm(), limitDeadline(ctx, DISARM_MS), input.subject).catch(
        () => undefined,
      );
    }
  }
}

type MissedHit = Exclude<HitResult, { hit: 'target' }>;

/** Returns why the input missed its target, or null if it reached the target or cannot be checked. */
function toMissedHit(result: HitResult, armed: Armed | null, kind: PointerInput): MissedHit | null {
  if (!armed || result.hit === 'target') return null;
  if (result.hit === 'other' || result.hit === 'renamed') return result;
  // A move to the current position sends no event. Input that closes its own page counts as delivered.
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

/** @throws PilothouseError TARGET_NOT_ACTIONABLE if no time is left, or if another try could press something else */
async function retryLater(ctx: ActionContext, { located }: LocatedTarget, miss: MissedHit): Promise<void> {
  // Locating the element again would accept its new name, which was not reviewed.
  const isFinal = (miss.hit === 'renamed' && ctx.checksName) || miss.hit === 'gone';
  if (isFinal || remainingMs(ctx) < MIN_RETRY_MS) {
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${located.locator} is there, but ${missReason(miss)}`, {
      details: { locator: located.locator, reason: missReason(miss) },
    });
  }
  await delayWithin(RETRY_DELAY_MS, ctx);
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
async function hitResult(ctx: ActionContext, { id, tab }: Armed): Promise<HitResult> {
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
