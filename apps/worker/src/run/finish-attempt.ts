import { PilothouseError, toPilothouseError, type AttemptOutcome } from '@pilothouse/contract';
import {
  consequenceOf,
  type ErrorConsequence,
  type Log,
  type Surface,
  withTimeout,
  settlesWithin,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { UploadQueue } from '../artifacts/upload-queue.ts';
import type { RunningStep, StepOutcomes } from '../attempt/step-outcomes.ts';
import type { ScreenshotRecorder } from '../artifacts/screenshot-recorder.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import type { SafePointTracker } from '../attempt/safe-points.ts';
import type { DebugArtifacts } from '../artifacts/debug-artifacts.ts';

/** Milliseconds that files of the run have at its end; less when somebody waits for the slot or the cancellation. */
export const UPLOAD_TIMEOUT_MS = 30_000;
const UPLOADS_SOON_MS = 5_000;
/** Milliseconds for the last events before a run is handed back. */
const HANDBACK_MS = 5_000;
/** Milliseconds for the outcome to become durable; then the lease is over anyway. */
const OUTCOME_MS = 300_000;

export interface EndParts {
  readonly link: Pick<AttemptLink, 'attempt' | 'handback'>;
  readonly events: EventBuffer;
  readonly uploads: UploadQueue;
  readonly safePoints: SafePointTracker;
  readonly traces: Pick<DebugArtifacts, 'save'>;
  /** Undefined: none was opened. */
  readonly surface: Surface | undefined;
}

/** Waits for the files, and writes the outcome with the last events. */
export async function finishAttempt(
  outcome: AttemptOutcome,
  uploadsMs: number,
  { surface, uploads, events, traces }: EndParts,
): Promise<void> {
  await traces.save();
  const closing = surface?.close();
  if (uploads.isBusy) {
    // What happened is durable meanwhile; only the outcome waits.
    events.flush().catch(() => undefined);
    await uploads.waitUntilStored(uploadsMs);
  }
  const durable = events.flush({ outcome });
  await Promise.all([withTimeout(durable, OUTCOME_MS), closing]);
}

/** Gives the run back, with where it may go on and the files that can still be kept. */
async function handBack(
  error: PilothouseError,
  { surface, safePoints, events, uploads, link, traces }: EndParts,
): Promise<void> {
  await traces.save();
  const closing = surface?.close();
  const saved = safePoints.takePending();
  const durable = events.flush(saved && { safePoint: saved });
  durable.catch(() => undefined);
  await Promise.all([settlesWithin(durable, HANDBACK_MS), uploads.waitUntilStored(UPLOADS_SOON_MS)]);
  await hit('worker.before-handback', link.attempt.run);
  link.handback(events.maskError(error.view()));
  await closing;
}

/** How an attempt ended, for the worker. */
export interface AttemptResult {
  readonly result: 'complete' | ErrorConsequence;
  readonly error?: PilothouseError;
}

/** What a thrown error finds of an attempt. */
export interface BrokenOff extends EndParts {
  readonly link: Pick<AttemptLink, 'attempt' | 'handback' | 'lost' | 'markLost'>;
  /** Aborts when no step may go on. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly notes: Pick<StepOutcomes, 'failed'>;
  readonly screenshots: Pick<ScreenshotRecorder, 'afterFailure'>;
  /** The step at work, when there is one. */
  readonly atWork: RunningStep | undefined;
  /** Number of the step at work, or next. */
  readonly step: number | null;
  lastFiles(): Promise<void>;
}

/** Ends an attempt that came to no output, by what ended it. Never throws. */
export async function endWithError(thrown: unknown, parts: BrokenOff): Promise<AttemptResult> {
  const { signal, link, log } = parts;
  const error = orHandedBack(
    toPilothouseError(link.lost.aborted ? link.lost.reason : signal.aborted ? signal.reason : thrown),
    link.lost,
  );
  if (error.code === 'INTERNAL')
    log.error({ error: error.message, stack: error.stack }, 'the run met an unexpected error');
  const ending = consequenceOf(error.code);
  try {
    if (ending === 'handback') await handBack(error, parts);
    if (ending === 'fail' || ending === 'cancel') await end(ending, error, parts);
  } catch (lost) {
    // Nothing can be written any more: whoever took the run writes how it ends.
    log.warn({ error: String(lost) }, 'the end of the run could not be written');
    link.markLost(toPilothouseError(lost, 'LEASE_LOST'));
  }
  return { result: ending, error };
}

async function end(ending: 'fail' | 'cancel', error: PilothouseError, parts: BrokenOff): Promise<void> {
  const { atWork, surface, notes, screenshots, signal, step } = parts;
  if (atWork) {
    notes.failed(atWork, error, ending === 'fail' ? 'error' : 'warn');
    if (ending === 'fail' && surface) await screenshots.afterFailure(surface, atWork.position, atWork.step);
  }
  // Files that came before the failure may tell of it.
  if (ending === 'fail' && !signal.aborted) await parts.lastFiles().catch(() => undefined);
  const outcome: AttemptOutcome =
    ending === 'cancel' ? { status: 'cancelled' } : { status: 'failed', error: error.view(), step };
  await finishAttempt(outcome, ending === 'cancel' ? UPLOADS_SOON_MS : UPLOAD_TIMEOUT_MS, parts);
}

/**
 * Only who lost the run ends without a word. An attempt that goes because its lease is not held at the moment still has the run: with
 * nothing said its link would go on renewing the lease of a run that nobody carries out.
 */
const orHandedBack = (error: PilothouseError, lost: AbortSignal) =>
  error.code === 'LEASE_LOST' && !lost.aborted ? new PilothouseError('RUN_HANDED_BACK', error.message) : error;
