import type { Outcome, PilothouseError } from '@pilothouse/contract';
import type { Surface } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { Uploads } from '../files/uploads.ts';
import type { Reporter } from './reporter.ts';
import type { SafePoints } from './safe-points.ts';
import type { Traces } from './traces.ts';
import { inTime, settlesWithin } from './waits.ts';

/** Milliseconds that files of the run have at its end; less when somebody waits for the slot or the cancellation. */
export const UPLOADS_MS = 30_000;
export const UPLOADS_SOON_MS = 5_000;
/** Milliseconds for the last events before a run is handed back. */
const HANDBACK_MS = 5_000;
/** Milliseconds for the outcome to become durable; then the lease is over anyway. */
const OUTCOME_MS = 300_000;

export interface EndParts {
  readonly link: Pick<AttemptLink, 'handback'>;
  readonly reporter: Reporter;
  readonly uploads: Uploads;
  readonly safePoints: SafePoints;
  readonly traces: Pick<Traces, 'end'>;
  /** Undefined: none was opened. */
  readonly surface: Surface | undefined;
}

/** Waits for the files, and writes the outcome with the last events. */
export async function finish(
  outcome: Outcome,
  uploadsMs: number,
  { surface, uploads, reporter, traces }: EndParts,
): Promise<void> {
  await traces.end();
  const closing = surface?.close();
  if (uploads.isBusy) {
    // What happened is durable meanwhile; only the outcome waits.
    reporter.flush().catch(() => undefined);
    await uploads.settle(uploadsMs);
  }
  const durable = reporter.flush({ outcome });
  await Promise.all([inTime(OUTCOME_MS, null, () => durable), closing]);
}

/** Gives the run back, with where it may go on and the files that can still be kept. */
export async function handBack(
  error: PilothouseError,
  { surface, safePoints, reporter, uploads, link, traces }: EndParts,
): Promise<void> {
  await traces.end();
  const closing = surface?.close();
  const saved = safePoints.take();
  const durable = reporter.flush(saved && { saved });
  durable.catch(() => undefined);
  await Promise.all([settlesWithin(durable, HANDBACK_MS), uploads.settle(UPLOADS_SOON_MS)]);
  link.handback(reporter.error(error.view()));
  await closing;
}
