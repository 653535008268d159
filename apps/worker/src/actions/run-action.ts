import {
  PilothouseError,
  type Action,
  type EventData,
  type GoalStep,
  type ParallelStep,
  type SurfaceStep,
  type Tier,
} from '@pilothouse/contract';
import {
  type ActionServices,
  type ActionOutcome,
  type Clock,
  type Context,
  type FileFacts,
  type Log,
  type Surface,
  linkAbort,
  waitWithGrace,
  systemTimers,
  type Timer,
} from '@pilothouse/core';
import type { AttemptLease } from '@pilothouse/infra-link';
import type { Patience } from '../steps/interruptible-wait.ts';
import type { ProfileClient } from '../attempt/profile-client.ts';
import type { RequestRoute } from '../network/http-request.ts';

/** Milliseconds after the deadline in which a surface may still say what was there instead. */
const LAST_WORD_MS = 1_000;

/** Milliseconds that a surface has to return from an aborted action. */
const ABORT_GRACE_MS = 3_000;

/** What an attempt gives to its actions; its proxy lets through what the run may reach. */
export interface ActionScope
  extends Pick<ActionServices, 'reveal' | 'file' | 'mayAccept' | 'checksName' | 'before'>, RequestRoute {
  /** Id of the run. */
  readonly run: string;
  readonly surface: Surface;
  readonly lease: Pick<AttemptLease, 'waitUntilHeld' | 'assertHeld' | 'endSignal'>;
  /** Aborts when the attempt is to stop: cancelled, lost, out of budget, handed back. */
  readonly signal: AbortSignal;
  /** Throws when the attempt may not act, looked at in the tick that sends input; the lease is asked besides. */
  assertCanAct(): void;
  readonly profiles: Pick<ProfileClient, 'save'>;
  /** What a file input is. */
  fileFacts(upload: string): Promise<FileFacts>;
  /** Null where nobody can take the wheel: beside other branches. */
  readonly patience: Patience | null;
  /** Carries out a step whose branches have pages of their own. */
  branches(step: ParallelStep, parts: ActionScope): Promise<ActionResult>;
  /** Carries out a step that is said in words. */
  goal(step: GoalStep, parts: ActionScope): Promise<ActionResult>;
  /**
   * What a person said to a former attempt of a step whose element was not found, where that leaves nothing to do; null: it is to be done.
   * @throws PilothouseError TARGET_NOT_FOUND where they ended it
   */
  settled(parts: ActionScope): ActionResult | null;
  /** Carries out a step that failed on another element, where it is to be healed. @throws `failed`, or why it was not healed */
  heal(step: SurfaceStep, failed: unknown, parts: ActionScope): Promise<ActionResult>;
  /** Counts input and requests that were sent in this attempt of the step, in all of its branches. */
  readonly sentInputs: InputCounter;
  readonly clock: Clock;
  readonly log: Log;
}

/** A number of inputs that may have gone out. */
export interface InputCounter {
  count: number;
}

/** What an action came to, and the deadline under which it did. */
export interface ActionResult {
  readonly outcome: ActionOutcome;
  readonly deadline: number;
  /** Tier that it took; left out: `replay`, no model was asked. */
  readonly tier?: Tier;
  /** It was done to another element than the step names. */
  readonly healed?: HealingDetails;
}

/** What a step was healed by, for its event. */
export type HealingDetails = Pick<
  EventData<'step.healed'>,
  'tier' | 'method' | 'element' | 'previousLocators' | 'locators'
>;

/**
 * Carries out one action while the lease is held. A lease that runs out before any input was sent stops the action, which begins
 * anew once the lease is back. After input was sent the action goes on to its end, but sends no more.
 * @param timeoutMs milliseconds for the action, from the moment in which the lease is held
 * @throws PilothouseError what the surface throws; the reason of `halt`; RUN_HANDED_BACK when the lease ran out in the middle
 */
export function runAction(action: Action, timeoutMs: number, parts: ActionScope): Promise<ActionResult> {
  return runGuarded(action.action, timeoutMs, parts, (context) => parts.surface.act(action, context));
}

/** The same for what is not done on the surface. @param name how it is called in errors */
export async function runGuarded(
  name: string,
  timeoutMs: number,
  parts: ActionScope,
  perform: Perform,
): Promise<ActionResult> {
  for (;;) {
    const holding = await parts.lease.waitUntilHeld(parts.signal);
    const once = new Once(holding, parts);
    const deadline = parts.clock.monotonic() + timeoutMs;
    try {
      return { outcome: await once.act(perform, deadline, timeoutMs), deadline };
    } catch (thrown) {
      if (parts.signal.aborted || parts.lease.endSignal.aborted || !once.lapsed) throw thrown;
      if (once.sent) throw halfDone(name);
      parts.log.warn({ action: name }, 'the lease ran out before the action began; it waits for the lease');
    } finally {
      once.end();
    }
  }
}

/** Does something once, and calls `guard` of its context in the tick before it sends. */
type Perform = (context: ActionServices) => Promise<ActionOutcome>;

/** One try at an action. */
class Once {
  /** Whether input may have gone out. */
  sent = false;
  /** The same before the last input. */
  private wasSent = false;
  /** Whether the action was stopped because the lease ran out. */
  lapsed = false;
  private readonly parts: ActionScope;
  private readonly stop = new AbortController();
  private readonly ties: (() => void)[];
  private late: Timer | undefined;

  constructor(holding: AbortSignal, parts: ActionScope) {
    this.parts = parts;
    this.ties = [
      linkAbort(parts.signal, (reason) => this.stop.abort(reason)),
      linkAbort(holding, (reason) => {
        if (this.sent) return;
        this.lapsed = true;
        this.stop.abort(reason);
      }),
    ];
  }

  act(perform: Perform, deadline: number, timeoutMs: number): Promise<ActionOutcome> {
    const { log, reveal, file, mayAccept, checksName, before } = this.parts;
    const { signal } = this.stop;
    this.late = timeOut(this.stop, timeoutMs);
    const context: ActionServices = {
      signal,
      deadline,
      log,
      reveal,
      file,
      guard: () => this.guard(),
      notSent: () => {
        this.sent = this.wasSent;
        this.parts.sentInputs.count -= 1;
      },
      ...(mayAccept && { mayAccept }),
      ...(checksName && { checksName }),
      ...(before && { before }),
    };
    return waitForSurface(perform(context), signal);
  }

  end(): void {
    systemTimers.clearTimeout(this.late);
    for (const untie of this.ties) untie();
  }

  private guard(): void {
    this.stop.signal.throwIfAborted();
    this.parts.assertCanAct();
    try {
      this.parts.lease.assertHeld();
    } catch (thrown) {
      this.lapsed = true;
      throw thrown;
    }
    this.wasSent = this.sent;
    this.sent = true;
    this.parts.sentInputs.count += 1;
  }
}

/**
 * Looks at the surface without acting: no lease is asked, but the attempt's end and the deadline hold.
 * @throws what `look` throws; the reason of `halt`; PilothouseError STEP_TIMED_OUT
 */
export async function readSurface<Value>(
  deadline: number,
  { signal, clock, log }: Pick<ActionScope, 'signal' | 'clock' | 'log'>,
  doLook: (context: Context) => Promise<Value>,
): Promise<Value> {
  const stop = new AbortController();
  const untie = linkAbort(signal, (reason) => stop.abort(reason));
  const late = timeOut(stop, deadline - clock.monotonic());
  try {
    return await waitForSurface(doLook({ signal: stop.signal, deadline, log }), stop.signal);
  } finally {
    systemTimers.clearTimeout(late);
    untie();
  }
}

/** @throws what the work throws; PilothouseError SURFACE_LOST when it does not end in time after an abort */
const waitForSurface = <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  waitWithGrace(work, signal, {
    graceMs: ABORT_GRACE_MS,
    error: () => new PilothouseError('SURFACE_LOST', 'The surface does not return from an action that was aborted'),
  });

function timeOut(stop: AbortController, timeoutMs: number): Timer {
  return systemTimers.setTimeout(
    () => {
      const seconds = Math.max(0, Math.round(timeoutMs / 100) / 10);
      stop.abort(new PilothouseError('STEP_TIMED_OUT', `The step did not end within its ${seconds} s`));
    },
    Math.max(0, timeoutMs) + LAST_WORD_MS,
  );
}

const halfDone = (action: string) =>
  new PilothouseError(
    'RUN_HANDED_BACK',
    `The lease ran out in the middle of ${action}: whether it happened is not known here`,
  );
