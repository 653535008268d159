import type { FileFacts } from '@pilothouse/core/agent/file-inputs';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import type { Timers } from '@pilothouse/core/time/timers';
import type { AttemptLease } from '@pilothouse/infra-link';

/** Dependencies of an action on a surface. */
export interface ActionScope extends Pick<
  ActionServices,
  'reveal' | 'file' | 'onWarning' | 'mayAccept' | 'checksName' | 'onPreActionScreenshot'
> {
  readonly surface: Surface;
  readonly lease: Pick<AttemptLease, 'waitUntilHeld' | 'assertHeld' | 'endSignal'>;
  /** Aborts when the attempt ends: cancelled, lost, out of budget or handed back. */
  readonly signal: AbortSignal;
  /** Checked in the tick that sends input, in addition to the lease. @throws the reason why no input may be sent */
  assertCanAct(): void;
  /** Counts inputs and requests of this attempt of the step, in all of its branches. */
  readonly inputCounter: InputCounter;
  /** Returns name, type and size of a file input. */
  fileFacts(upload: string): Promise<FileFacts>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Number of inputs that may have been sent. */
export interface InputCounter {
  count: number;
}
