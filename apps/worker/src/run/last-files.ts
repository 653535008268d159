import type { Clock, Log, Surface } from '@pilothouse/core';
import type { EventBuffer } from './reporter.ts';
import { raceAbort } from './waits.ts';

/** Milliseconds for the files that the last steps asked for. */
const FILES_MS = 30_000;

interface LastFilesParts {
  readonly reporter: Pick<EventBuffer, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when no step may go on. */
  readonly halt: AbortSignal;
}

/** Waits for the files that the steps asked for, and says which did not come whole in time. @throws the reason of `halt` */
export async function awaitDownloads(surface: Surface, { reporter, clock, log, halt }: LastFilesParts): Promise<void> {
  const context = { signal: halt, deadline: clock.monotonic() + FILES_MS, log };
  for (const name of await raceAbort(surface.filesKept(context), halt)) {
    const message = `${name} was not kept: it did not come whole within ${FILES_MS / 1000} s after the last step`;
    reporter.add('log', message, { facts: { file: name } }, 'warn');
  }
}
