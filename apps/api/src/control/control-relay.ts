import type { PageQuery } from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { systemTimers } from '@pilothouse/core/time/timers';
import { RunChannel, type RedisPubSub } from '@pilothouse/infra-stream';

/** Manual input for the worker of an attempt. */
export type ControlInputBatch = Omit<ToWorkerOf<'control.input'>, 'type' | keyof Attempt>;

/** Result of a page inspection, or its error. */
type InspectionResult = FromWorkerOf<'control.inspection'>['result'];

/** Result of a page inspection. */
export type PageInspectionReply = Exclude<InspectionResult, { error: unknown }>;

const INSPECTION_TIMEOUT_MS = 10_000;

/** Relays manual input to the replica of the worker, and page inspections back. Stores nothing. */
export class ControlRelay {
  private readonly inputs: RunChannel<Attempt & ControlInputBatch>;
  /** Results by the id of their query. */
  private readonly inspections: RunChannel<InspectionResult>;

  constructor(pubsub: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.inputs = new RunChannel(pubsub, 'control-input');
    this.inspections = new RunChannel(pubsub, 'inspection');
  }

  /** Resolves when the input is published; later input arrives after it. */
  async sendInput(attempt: Attempt, input: ControlInputBatch): Promise<void> {
    await this.inputs.publish({ ...attempt, ...input });
  }

  /**
   * Sends input with an inspection, and waits for its result.
   * @param acceptInput returns the attempt and the input. It is called when the subscription is ready, and its result
   * is sent at once, so that batches stay in order.
   * @throws PilothouseError the error of the worker; UNAVAILABLE without a result in time; the reason of the signal;
   * any error of `acceptInput`
   */
  async inspect(
    query: PageQuery,
    acceptInput: () => Promise<[Attempt, ControlInputBatch]>,
    signal: AbortSignal,
  ): Promise<PageInspectionReply> {
    const answer = Promise.withResolvers<InspectionResult>();
    const timeoutError = new PilothouseError(
      'UNAVAILABLE',
      `The page did not answer within ${INSPECTION_TIMEOUT_MS / 1000} s. Try again.`,
    );
    const timer = systemTimers.setTimeout(() => answer.reject(timeoutError), INSPECTION_TIMEOUT_MS);
    const onAbort = () => answer.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const { ready, stop } = this.inspections.subscribe(answer.resolve, query.id);
    try {
      await Promise.race([ready, answer.promise]);
      const [attempt, input] = await acceptInput();
      await this.sendInput(attempt, { ...input, inspect: query });
      const result = await answer.promise;
      if (!('error' in result)) return result;
      throw new PilothouseError(result.error.code, result.error.message);
    } finally {
      stop();
      systemTimers.clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Publishes the result of an inspection. */
  async publishResult(query: string, result: InspectionResult): Promise<void> {
    await this.inspections.publish(result, query);
  }

  /** Calls `onBatch` with each batch of input of any replica. @returns unsubscribes */
  onInput(onBatch: (attempt: Attempt, input: ControlInputBatch) => void): () => void {
    return this.inputs.subscribe(({ run, epoch, ...input }) => onBatch({ run, epoch }, input)).stop;
  }
}
