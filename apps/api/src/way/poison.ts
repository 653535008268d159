import { makeEvent, PilothouseError } from '@pilothouse/contract';
import type { RunWrite } from '@pilothouse/infra-db';

/** A run that lost so many workers, or their surfaces, takes no more of them down. */
export const MAX_LOST = 5;

/** How a run ends that lost too many workers. @param lost how many, this one included @param last what happened the last time */
export function poisoned(lost: number, last: string, at: Date): Pick<RunWrite, 'to' | 'error' | 'events'> {
  const error = new PilothouseError(
    'POISON_RUN',
    `The run lost its worker or its surface ${lost} times. The last time: ${last}`,
  ).view();
  return { to: 'failed', error, events: [makeEvent('run.failed', error.message, { error, step: null }, at, 'error')] };
}
