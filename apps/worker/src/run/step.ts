import {
  actionOf,
  DEFAULT_LOOK_SECONDS,
  pageBranchesOf,
  PilothouseError,
  stepSeconds,
  type Condition,
  type Step,
  type SurfaceStep,
} from '@pilothouse/contract';
import type { ActOutcome, Anchors, Rung } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import { act, actBy, look, type Acted, type ActParts, type Healed } from './act.ts';
import { patiently } from './patience.ts';
import { sendAtOnce } from './parallel.ts';
import { sendRequest } from './request.ts';

/** Milliseconds for asking where the surface is. */
const ANCHORS_MS = 2_000;

/** Largest value that a step may read, in bytes of JSON: it travels in one event, and stands in the checkpoint. */
const MAX_VALUE_BYTES = 1_000_000;

/** What a step came to. */
export interface StepDone {
  readonly outcome: ActOutcome;
  /** Where the surface is afterwards; null when it did not say. */
  readonly page: Anchors | null;
  readonly rung: Rung;
  /** It was done to another element than the step names. */
  readonly healed?: Healed | undefined;
}

/** Carries out a rendered step: acts, and waits for what is to be true afterwards. @throws as `act`; CONDITION_NOT_MET */
export async function carryOut(step: Step, parts: ActParts): Promise<StepDone> {
  const { surface, clock, halt } = parts;
  const { outcome, deadline, rung = 0, healed } = await done(step, parts);
  await hit('worker.input-sent', parts.run);
  mustFit(outcome);
  const { expect } = step;
  if (expect) await look(deadline, parts, (context) => surface.expect(expect, context));
  const page = await look(clock.monotonic() + ANCHORS_MS, parts, (context) => surface.anchors(context)).catch(
    () => null,
  );
  halt.throwIfAborted();
  return { outcome, page, rung, healed };
}

async function done(step: Step, parts: ActParts): Promise<Acted> {
  if (step.action === 'lookFor') {
    const { condition, timeout = DEFAULT_LOOK_SECONDS } = step;
    return patiently(timeout * 1000, parts, (left, waiting) => check(condition, left, waiting));
  }
  const ms = stepSeconds(step) * 1000;
  if (step.action === 'http') return actBy('http', ms, parts, (context) => sendRequest(step, parts, context));
  if (step.action === 'saveProfile')
    return actBy('saveProfile', ms, parts, (context) =>
      parts.profiles.save(step, () => parts.surface.profile(context), context),
    );
  if (step.action === 'goal') return parts.goal(step, parts);
  if (step.action === 'parallel' && pageBranchesOf(step).length > 0) return parts.branches(step, parts);
  if (step.action === 'parallel') return actBy('parallel', ms, parts, (context) => sendAtOnce(step, parts, context));
  return parts.settled(parts) ?? actOut(step, ms, parts).catch((failed: unknown) => parts.heal(step, failed, parts));
}

function actOut(step: SurfaceStep, ms: number, parts: ActParts): Promise<Acted> {
  if (step.action === 'waitFor') return patiently(ms, parts, (left, waiting) => act(actionOf(step), left, waiting));
  if (step.action !== 'wait') return act(actionOf(step), ms, parts);
  const { seconds } = step;
  return patiently(ms, parts, (left, waiting) => {
    const waited = (ms - left) / 1000;
    return act({ action: 'wait', seconds: Math.max(0, seconds - waited) }, left, waiting);
  });
}

/** Sees whether something is so, or becomes so in time. It sends no input. */
async function check(condition: Condition, timeoutMs: number, parts: ActParts): Promise<Acted> {
  const { surface, clock, halt, lease } = parts;
  await lease.held(halt);
  const deadline = clock.monotonic() + timeoutMs;
  const value = await look(deadline, parts, (context) => surface.expect(condition, context)).then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof PilothouseError && notSo.has(thrown.code)) return false;
      throw thrown;
    },
  );
  halt.throwIfAborted();
  return { outcome: { located: null, value }, deadline };
}

/** How a surface says that a condition does not hold. */
const notSo = new Set(['CONDITION_NOT_MET', 'STEP_TIMED_OUT', 'TARGET_NOT_FOUND']);

function mustFit({ value }: ActOutcome): void {
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `The step read ${bytes} bytes; at most ${MAX_VALUE_BYTES} are kept. Read less, or in several steps`,
    { details: { bytes, limit: MAX_VALUE_BYTES } },
  );
}
