import type { ActionScope } from './action-scope.ts';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import type { ActionOutcome, ActionServices } from '@pilothouse/core/ports/surface-action.port';
import type { Anchors } from '@pilothouse/core/ports/surface.port';
import { effectOf } from '@pilothouse/core/surface/default-effects';
import { assertRequiredEffect } from '@pilothouse/core/workflow/required-effect';
import { linkAbort } from '@pilothouse/core/time/deadlines';
import type { Timer } from '@pilothouse/core/time/timers';
import { startStepTimeout, waitForSurface } from './surface-reads.ts';

/** An outcome whose effect is known. */
export type CompletedOutcome = ActionOutcome & ActionEffect;

export interface ActionResult {
  readonly outcome: CompletedOutcome;
  /** Monotonic milliseconds; the postcondition of the step has the same deadline. */
  readonly deadline: number;
  /** Unset: replay, no model was called. */
  readonly tier?: Tier;
  /** Set when the action used another element than the step names. */
  readonly healing?: HealingDetails;
}

/** Data of the event `step.healed`. */
export type HealingDetails = Pick<
  EventData<'step.healed'>,
  'tier' | 'method' | 'element' | 'previousLocators' | 'locators'
>;

/** An action result with the page after the step. */
export interface StepResult {
  readonly outcome: CompletedOutcome;
  /** Null: the surface did not return it. */
  readonly page: Anchors | null;
  readonly tier: Tier;
  readonly healing?: HealingDetails | undefined;
}

/**
 * Runs one action while the lease is held. If the lease lapses before input, the action restarts after the next renewal. If it lapses after
 * input, the action may finish but sends no further input.
 * @param timeoutMs starts when the lease is held
 * @throws PilothouseError errors of the surface; RUN_HANDED_BACK when the lease lapsed after input; the reason of the signal
 */
export async function runAction(action: Action, timeoutMs: number, scope: ActionScope): Promise<ActionResult> {
  const result = await runGuarded(action.action, timeoutMs, scope, async (context) => {
    const outcome = await scope.surface.act(action, context);
    return { ...outcome, ...effectOf(action.action, outcome) };
  });
  assertRequiredEffect(action, result.outcome);
  return result;
}

/** Milliseconds to read the fields of a page at the end of its steps, and to enter lost ones again. */
const RESTORE_FIELDS_MS = 15_000;

/** Verifies the fields that the steps entered last. @throws as `runAction` */
export async function restoreFields(scope: ActionScope): Promise<void> {
  const { surface } = scope;
  if (!surface.hasEnteredFields) return;
  await runGuarded('restoreFields', RESTORE_FIELDS_MS, scope, async (context) => {
    await surface.restoreFields?.(context);
    return { located: null, effect: 'none' };
  });
}

/** Runs work other than a surface action under the rules of `runAction`. @param name of the work, for errors */
export async function runGuarded(
  name: string,
  timeoutMs: number,
  scope: ActionScope,
  perform: Perform,
): Promise<ActionResult> {
  for (;;) {
    const leaseSignal = await scope.lease.waitUntilHeld(scope.signal);
    const attempt = new ActionAttempt(leaseSignal, scope);
    const deadline = scope.clock.monotonic() + timeoutMs;
    try {
      return { outcome: await attempt.run(perform, deadline, timeoutMs), deadline };
    } catch (thrown) {
      if (scope.signal.aborted || scope.lease.endSignal.aborted || !attempt.isLeaseLapsed) throw thrown;
      if (attempt.isInputSent) throw interruptedActionError(name);
      scope.log.warn({ action: name }, 'lease lapsed before input, action will restart');
    } finally {
      attempt.dispose();
    }
  }
}

/** Calls `guard` of its context in the tick before it sends input. */
type Perform = (context: ActionServices) => Promise<CompletedOutcome>;

class ActionAttempt {
  /** True once input may have been sent. */
  isInputSent = false;
  isLeaseLapsed = false;
  private wasInputSentBefore = false;
  private readonly scope: ActionScope;
  private readonly controller = new AbortController();
  private readonly unlinks: readonly (() => void)[];
  private timer: Timer | undefined;

  constructor(leaseSignal: AbortSignal, scope: ActionScope) {
    this.scope = scope;
    this.unlinks = [
      linkAbort(scope.signal, (reason) => this.controller.abort(reason)),
      linkAbort(leaseSignal, (reason) => {
        if (this.isInputSent) return;
        this.isLeaseLapsed = true;
        this.controller.abort(reason);
      }),
    ];
  }

  run(perform: Perform, deadline: number, timeoutMs: number): Promise<CompletedOutcome> {
    const { timers, log, reveal, file, mayAccept, checksName, onPreActionScreenshot, onWarning } = this.scope;
    const { signal } = this.controller;
    this.timer = startStepTimeout(this.controller, timeoutMs, timers);
    const context: ActionServices = {
      signal,
      deadline,
      log,
      reveal,
      file,
      guard: () => this.guard(),
      onNotSent: () => {
        this.isInputSent = this.wasInputSentBefore;
        this.scope.inputCounter.count -= 1;
      },
      ...(onWarning && { onWarning }),
      ...(mayAccept && { mayAccept }),
      ...(checksName && { checksName }),
      ...(onPreActionScreenshot && { onPreActionScreenshot }),
    };
    return waitForSurface(perform(context), signal, timers);
  }

  dispose(): void {
    this.scope.timers.clearTimeout(this.timer);
    for (const unlink of this.unlinks) unlink();
  }

  private guard(): void {
    this.controller.signal.throwIfAborted();
    this.scope.assertCanAct();
    try {
      this.scope.lease.assertHeld();
    } catch (thrown) {
      this.isLeaseLapsed = true;
      throw thrown;
    }
    this.wasInputSentBefore = this.isInputSent;
    this.isInputSent = true;
    this.scope.inputCounter.count += 1;
  }
}

const interruptedActionError = (action: string) =>
  new PilothouseError(
    'RUN_HANDED_BACK',
    `Lease lapsed during ${action}. Its effect is unknown; the next attempt will check it.`,
  );
