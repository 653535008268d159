import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { newDeadline, poll, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';

/** Milliseconds after the deadline in which a running probe may still end. The worker ends the step 1 s after the deadline. */
const PROBE_GRACE_MS = 300;

/**
 * Polls until the deadline of a step, and does not wait for a probe that takes longer. The caller can then report what the step waits for.
 * Use it only for probes that send no input.
 * @returns undefined at the deadline
 * @throws as `poll`
 */
export async function pollStep<Value>(
  probe: () => Promise<Value | undefined>,
  context: Deadline,
): Promise<Value | undefined> {
  const limits = newDeadline(context, remainingMs(context) + PROBE_GRACE_MS);
  try {
    return await raceDeadline(poll(probe, context), limits, 'The search');
  } catch (error) {
    if (error instanceof PilothouseError && error.code === 'STEP_TIMED_OUT') return undefined;
    throw error;
  }
}
