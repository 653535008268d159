import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { AttemptOutcome } from '@pilothouse/contract/worker/from-worker.messages';
import { consequenceOf, type ErrorConsequence } from '@pilothouse/core/run/run-recovery';
import { settlesWithin, withTimeout } from '@pilothouse/core/time/deadlines';
import { failpoint } from '@pilothouse/infra-fault';
import type { AttemptContext } from '../context/attempt-context.ts';

/** Milliseconds for uploads at the end of a run; fewer when a slot or a cancellation waits. */
const UPLOAD_TIMEOUT_MS = 30_000;
const SHORT_UPLOAD_TIMEOUT_MS = 5_000;
/** Milliseconds for the last events before a run is handed back. */
const HANDBACK_MS = 5_000;
/** Milliseconds until the outcome is durable. The lease has ended by then. */
const OUTCOME_MS = 300_000;

/** Result of an attempt for the worker. */
export interface AttemptResult {
  readonly result: 'complete' | ErrorConsequence;
  readonly error?: PilothouseError;
}

/** Takes the last screenshot, waits for the files, and writes the outcome with the last events. */
export async function finishAttempt(outcome: AttemptOutcome, attempt: AttemptContext): Promise<void> {
  const { surfaceSession, uploads, turns, events, timers, debugArtifacts } = attempt;
  if (outcome.status !== 'cancelled') await takeLastScreenshot(attempt);
  await debugArtifacts.save();
  const closing = surfaceSession.current?.close();
  if (uploads.isBusy || turns?.isBusy) {
    // Events become durable meanwhile; only the outcome waits.
    events.flush().catch(() => undefined);
    const timeoutMs = outcome.status === 'cancelled' ? SHORT_UPLOAD_TIMEOUT_MS : UPLOAD_TIMEOUT_MS;
    await Promise.all([uploads.waitUntilStored(timeoutMs), turns?.finish(timeoutMs)]);
  }
  turns?.reportDropped();
  const durable = events.flush({ outcome });
  await Promise.all([withTimeout(durable, OUTCOME_MS, { timers }), closing]);
}

/** A step that failed has its own screenshot. */
async function takeLastScreenshot({ runningStep, surfaceSession, progress, screenshots }: AttemptContext) {
  const { current } = surfaceSession;
  const { lastPosition } = progress;
  if (!runningStep && current && lastPosition) await screenshots.afterRun(current, lastPosition, lastPosition.step);
}

/** Ends an attempt without output by the error that ended it. Never throws. */
export async function endWithError(thrown: unknown, attempt: AttemptContext): Promise<AttemptResult> {
  const { cancellation, link, log } = attempt;
  const { signal } = cancellation;
  const reason: unknown = link.lossSignal.aborted ? link.lossSignal.reason : signal.aborted ? signal.reason : thrown;
  const error = handBackUnlessLost(toPilothouseError(reason), link.lossSignal);
  if (error.code === 'INTERNAL') log.error({ error: error.message, stack: error.stack }, 'run met an unexpected error');
  const result = consequenceOf(error.code);
  try {
    if (result === 'handback') await handBack(error, attempt);
    if (result === 'fail' || result === 'cancel') await writeFailure(result, error, attempt);
  } catch (writeError) {
    // Nothing more can be written: the next attempt ends the run.
    log.warn({ error: String(writeError) }, 'outcome not written');
    link.markLost(toPilothouseError(writeError, 'LEASE_LOST'));
  }
  return { result, error };
}

/** Hands the run back with its safe point, and with the files that are uploaded in time. */
async function handBack(
  error: PilothouseError,
  { surfaceSession, safePoints, events, uploads, turns, link, timers, debugArtifacts }: AttemptContext,
): Promise<void> {
  await debugArtifacts.save();
  const closing = surfaceSession.current?.close();
  const safePoint = safePoints.consumePending();
  const durable = events.flush(safePoint && { safePoint });
  durable.catch(() => undefined);
  await Promise.all([
    settlesWithin(durable, HANDBACK_MS, timers),
    uploads.waitUntilStored(SHORT_UPLOAD_TIMEOUT_MS),
    turns?.finish(SHORT_UPLOAD_TIMEOUT_MS),
  ]);
  await failpoint('worker.before-handback', link.attempt.run);
  link.handback(events.maskError(error.view()));
  await closing;
}

async function writeFailure(result: 'fail' | 'cancel', error: PilothouseError, attempt: AttemptContext): Promise<void> {
  const { runningStep, surfaceSession, outcomes, screenshots, cancellation, stepNumber } = attempt;
  const { current } = surfaceSession;
  if (runningStep) {
    outcomes.recordFailure(runningStep, error, result === 'fail' ? 'error' : 'warn');
    if (result === 'fail' && current) await screenshots.afterFailure(current, runningStep.position, runningStep.step);
  }
  // Downloads before the failure may explain it.
  if (result === 'fail' && !cancellation.signal.aborted) await surfaceSession.waitForDownloads().catch(() => undefined);
  const outcome: AttemptOutcome =
    result === 'cancel' ? { status: 'cancelled' } : { status: 'failed', error: error.view(), step: stepNumber };
  await finishAttempt(outcome, attempt);
}

/** Hands the run back when the lease has only lapsed. Otherwise the link keeps renewing a lease for a run that no attempt executes. */
const handBackUnlessLost = (error: PilothouseError, lostSignal: AbortSignal) =>
  error.code === 'LEASE_LOST' && !lostSignal.aborted ? new PilothouseError('RUN_HANDED_BACK', error.message) : error;
