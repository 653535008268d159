import {
  PilothouseError,
  type Attempt,
  type FromWorkerOf,
  type PageQuery,
  type ToWorkerOf,
} from '@pilothouse/contract';
import { systemTimers } from '@pilothouse/core';
import type { RedisPubSub } from '@pilothouse/infra-stream';

/** What the worker of an attempt is told of its wheel. */
export type ControlInputBatch = Omit<ToWorkerOf<'control.input'>, 'type' | keyof Attempt>;

/** What a page shows, or why nothing. */
type InspectionResult = FromWorkerOf<'control.inspection'>['result'];

/** What a page shows. */
export type PageInspectionReply = Exclude<InspectionResult, { error: unknown }>;

/** Milliseconds in which a page says what is on it. */
const INSPECTION_TIMEOUT_MS = 10_000;

/** What people at the wheel do, from whichever replica they ask to whichever holds the worker. Nothing of it is kept anywhere. */
export class ControlRelay {
  private readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;

  constructor(channels: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Resolves when it is on its way: what is told after it comes after it. */
  async sendInput(attempt: Attempt, input: ControlInputBatch): Promise<void> {
    await this.channels.publish(
      'control-input',
      JSON.stringify({ ...attempt, ...input } satisfies Attempt & ControlInputBatch),
    );
  }

  /**
   * Tells something that is asked, too, and waits for the answer.
   * @param acceptInput says what is told, and whom; called when the answer would be heard: what has its number since is told at once, so that nothing
   *   with a later number comes before it
   * @throws PilothouseError what the worker says; UNAVAILABLE when it says nothing in time; the reason of the signal; whatever `steer` throws
   */
  async inspect(
    query: PageQuery,
    acceptInput: () => Promise<[Attempt, ControlInputBatch]>,
    signal: AbortSignal,
  ): Promise<PageInspectionReply> {
    const answer = Promise.withResolvers<InspectionResult>();
    const timeoutError = new PilothouseError(
      'UNAVAILABLE',
      `The page did not say what is on it within ${INSPECTION_TIMEOUT_MS / 1000} s`,
    );
    const timer = systemTimers.setTimeout(() => answer.reject(timeoutError), INSPECTION_TIMEOUT_MS);
    const onAbort = () => answer.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const { ready, stop } = this.channels.subscribe(channelOf(query.id), (message) =>
      answer.resolve(JSON.parse(message.toString()) as InspectionResult),
    );
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

  /** What a page shows to whoever asked. */
  async publishResult(query: string, result: InspectionResult): Promise<void> {
    await this.channels.publish(channelOf(query), JSON.stringify(result));
  }

  /** Calls `tell` with what is told anywhere. @returns ends that */
  onInput(onBatch: (attempt: Attempt, input: ControlInputBatch) => void): () => void {
    const { stop } = this.channels.subscribe('control-input', (message) => {
      const { run, epoch, ...input } = JSON.parse(message.toString()) as Attempt & ControlInputBatch;
      onBatch({ run, epoch }, input);
    });
    return stop;
  }
}

const channelOf = (query: string) => `inspection:${query}`;
