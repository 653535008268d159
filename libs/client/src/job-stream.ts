import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { jobSchema, type Job } from '@pilothouse/contract/job/job.schema';
import { resumedStream } from './resumed-stream.ts';
import type { SseSource } from './sse-connection.ts';

export interface JobStatesOptions {
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
  /** Called when the API refused a connection, with the number of refusals in a row. An error that it throws ends the iteration. */
  onRefusal?: (refusals: number, error: PilothouseError) => void;
}

/**
 * Yields the states of a background job: the present one, and each change, until the job has ended.
 * @throws ApiError when a retry cannot succeed
 */
export function jobStates(source: SseSource, job: string, { signal, onRefusal }: JobStatesOptions = {}) {
  const path = `/v1/learning/jobs/${encodeURIComponent(job)}/events`;
  let lastState: string | undefined;
  return resumedStream<Job>(
    source,
    {
      request: () => ({ path, ...(lastState !== undefined && { headers: { 'last-event-id': lastState } }) }),
      read({ id, data }) {
        if (id !== null) lastState = id;
        return jobOf(data);
      },
      isLast: ({ status }) => status !== 'queued' && status !== 'running',
      onRefusal,
    },
    signal,
  );
}

/** @throws PilothouseError PROTOCOL_INVALID: a retry would return the same state */
function jobOf(data: string): Job {
  try {
    return jobSchema.parse(JSON.parse(data));
  } catch (cause) {
    throw new PilothouseError('PROTOCOL_INVALID', 'The API sent an unknown job: update this client', { cause });
  }
}
