import { actionOf, DEFAULT_STEP_SECONDS, PilothouseError, type Step } from '@pilothouse/contract';
import type { ActOutcome, Anchors } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import { act, look, type ActParts } from './act.ts';

/** Milliseconds for asking where the surface is. */
const ANCHORS_MS = 2_000;

/** Largest value that a step may read, in bytes of JSON: it travels in one event, and stands in the checkpoint. */
const MAX_VALUE_BYTES = 1_000_000;

/** What a step came to. */
export interface StepDone {
  readonly outcome: ActOutcome;
  /** Where the surface is afterwards; null when it did not say. */
  readonly page: Anchors | null;
}

/** Carries out a rendered step: acts, and waits for what is to be true afterwards. @throws as `act`; CONDITION_NOT_MET */
export async function carryOut(step: Step, parts: ActParts): Promise<StepDone> {
  const { surface, clock, halt } = parts;
  const timeoutMs = (step.timeout ?? DEFAULT_STEP_SECONDS) * 1000;
  const { outcome, deadline } = await act(actionOf(step), timeoutMs, parts);
  await hit('worker.input-sent');
  mustFit(outcome);
  const { expect } = step;
  if (expect) await look(deadline, parts, (context) => surface.expect(expect, context));
  const page = await look(clock.monotonic() + ANCHORS_MS, parts, (context) => surface.anchors(context)).catch(
    () => null,
  );
  halt.throwIfAborted();
  return { outcome, page };
}

function mustFit({ value }: ActOutcome): void {
  const bytes = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `The step read ${bytes} bytes; at most ${MAX_VALUE_BYTES} are kept. Read less, or in several steps`,
    { details: { bytes, limit: MAX_VALUE_BYTES } },
  );
}
