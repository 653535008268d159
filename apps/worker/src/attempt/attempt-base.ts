import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import type { RunCancellation } from './cancellation.ts';
import type { EventBuffer } from './event-buffer.ts';
import type { RunningStep } from './running-step.ts';

/** State that every service of an attempt shares. It performs no I/O. */
export interface AttemptBase {
  readonly assignment: Assignment;
  readonly link: AttemptLink;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly metrics: Pick<MetricsBuffer, 'count' | 'observe' | 'add'>;
  /** The gateway over HTTP; signed transfers without a host are relative to it. */
  readonly gatewayUrl: URL;
  readonly masker: Masker;
  /** Masks secrets, and adds the attempt to each line. */
  readonly log: Log;
  readonly events: EventBuffer;
  readonly cancellation: RunCancellation;
  /** The step whose outcome is not yet recorded. A step that ended the attempt stays here, to be reported as failed. */
  runningStep: RunningStep | null;
  /** Number of the step that is running, next or in unknown state; null: none. */
  stepNumber: number | null;
}
