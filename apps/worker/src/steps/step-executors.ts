import {
  surfaceActionOf,
  DEFAULT_CHECK_SECONDS,
  pageBranchesOf,
  PilothouseError,
  stepSeconds,
  type Condition,
  type Step,
  type SurfaceStep,
  type Tier,
} from '@pilothouse/contract';
import type { ActionOutcome, Anchors } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import {
  runAction,
  runGuarded,
  readSurface,
  type ActionResult,
  type ActionScope,
  type HealingDetails,
} from '../actions/run-action.ts';
import { runInterruptibly } from './interruptible-wait.ts';
import { sendParallelRequests } from './parallel-requests.ts';
import { sendHttpRequest } from '../network/http-request.ts';

/** Milliseconds for asking where the surface is. */
const ANCHORS_MS = 2_000;

/** Largest value that a step may read, in bytes of JSON: it travels in one event, and stands in the checkpoint. */
const MAX_VALUE_BYTES = 1_000_000;

/** What a step came to. */
export interface StepResult {
  readonly outcome: ActionOutcome;
  /** Where the surface is afterwards; null when it did not say. */
  readonly page: Anchors | null;
  readonly tier: Tier;
  /** It was done to another element than the step names. */
  readonly healed?: HealingDetails | undefined;
}

/** Carries out a rendered step: acts, and waits for what is to be true afterwards. @throws as `act`; CONDITION_NOT_MET */
export async function executeStep(step: Step, parts: ActionScope): Promise<StepResult> {
  const { surface, clock, signal } = parts;
  const { outcome, deadline, tier = 'replay', healed } = await done(step, parts);
  await hit('worker.input-sent', parts.run);
  mustFit(outcome);
  const { expect } = step;
  if (expect) await readSurface(deadline, parts, (context) => surface.expect(expect, context));
  const page = await readSurface(clock.monotonic() + ANCHORS_MS, parts, (context) => surface.anchors(context)).catch(
    () => null,
  );
  signal.throwIfAborted();
  return { outcome, page, tier, healed };
}

async function done(step: Step, parts: ActionScope): Promise<ActionResult> {
  if (step.action === 'checkCondition') {
    const { condition, timeout = DEFAULT_CHECK_SECONDS } = step;
    return runInterruptibly(timeout * 1000, parts, (left, waiting) => check(condition, left, waiting));
  }
  const ms = stepSeconds(step) * 1000;
  if (step.action === 'http') return runGuarded('http', ms, parts, (context) => sendHttpRequest(step, parts, context));
  if (step.action === 'saveProfile')
    return runGuarded('saveProfile', ms, parts, (context) =>
      parts.profiles.save(step, () => parts.surface.profile(context), context),
    );
  if (step.action === 'goal') return parts.goal(step, parts);
  if (step.action === 'parallel' && pageBranchesOf(step).length > 0) return parts.branches(step, parts);
  if (step.action === 'parallel')
    return runGuarded('parallel', ms, parts, (context) => sendParallelRequests(step, parts, context));
  return parts.settled(parts) ?? actOut(step, ms, parts).catch((failed: unknown) => parts.heal(step, failed, parts));
}

function actOut(step: SurfaceStep, ms: number, parts: ActionScope): Promise<ActionResult> {
  if (step.action === 'waitFor')
    return runInterruptibly(ms, parts, (left, waiting) => runAction(surfaceActionOf(step), left, waiting));
  if (step.action !== 'wait') return runAction(surfaceActionOf(step), ms, parts);
  const { seconds } = step;
  return runInterruptibly(ms, parts, (left, waiting) => {
    const waited = (ms - left) / 1000;
    return runAction({ action: 'wait', seconds: Math.max(0, seconds - waited) }, left, waiting);
  });
}

/** Sees whether something is so, or becomes so in time. It sends no input. */
async function check(condition: Condition, timeoutMs: number, parts: ActionScope): Promise<ActionResult> {
  const { surface, clock, signal, lease } = parts;
  await lease.waitUntilHeld(signal);
  const deadline = clock.monotonic() + timeoutMs;
  const value = await readSurface(deadline, parts, (context) => surface.expect(condition, context)).then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof PilothouseError && notSo.has(thrown.code)) return false;
      throw thrown;
    },
  );
  signal.throwIfAborted();
  return { outcome: { located: null, value }, deadline };
}

/** How a surface says that a condition does not hold. */
const notSo = new Set(['CONDITION_NOT_MET', 'STEP_TIMED_OUT', 'TARGET_NOT_FOUND']);

function mustFit({ value }: ActionOutcome): void {
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `The step read ${bytes} bytes; at most ${MAX_VALUE_BYTES} are kept. Read less, or in several steps`,
    { details: { bytes, limit: MAX_VALUE_BYTES } },
  );
}
