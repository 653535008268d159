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
type Seen = FromWorkerOf<'control.inspection'>['result'];

/** What a page shows. */
export type PageInspectionReply = Exclude<Seen, { error: unknown }>;

/** Milliseconds in which a page says what is on it. */
const LOOK_MS = 10_000;

/** What people at the wheel do, from whichever replica they ask to whichever holds the worker. Nothing of it is kept anywhere. */
export class ControlRelay {
  private readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;

  constructor(channels: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Resolves when it is on its way: what is told after it comes after it. */
  async sendInput(attempt: Attempt, driven: ControlInputBatch): Promise<void> {
    await this.channels.publish(
      'control-input',
      JSON.stringify({ ...attempt, ...driven } satisfies Attempt & ControlInputBatch),
    );
  }

  /**
   * Tells something that is asked, too, and waits for the answer.
   * @param steer says what is told, and whom; called when the answer would be heard: what has its number since is told at once, so that nothing
   *   with a later number comes before it
   * @throws PilothouseError what the worker says; UNAVAILABLE when it says nothing in time; the reason of the signal; whatever `steer` throws
   */
  async inspect(
    look: PageQuery,
    steer: () => Promise<[Attempt, ControlInputBatch]>,
    signal: AbortSignal,
  ): Promise<PageInspectionReply> {
    const answer = Promise.withResolvers<Seen>();
    const late = new PilothouseError('UNAVAILABLE', `The page did not say what is on it within ${LOOK_MS / 1000} s`);
    const timer = systemTimers.setTimeout(() => answer.reject(late), LOOK_MS);
    const gone = () => answer.reject(signal.reason);
    signal.addEventListener('abort', gone, { once: true });
    const { ready, stop } = this.channels.subscribe(channelOf(look.id), (message) =>
      answer.resolve(JSON.parse(message.toString()) as Seen),
    );
    try {
      await Promise.race([ready, answer.promise]);
      const [attempt, driven] = await steer();
      await this.sendInput(attempt, { ...driven, inspect: look });
      const seen = await answer.promise;
      if (!('error' in seen)) return seen;
      throw new PilothouseError(seen.error.code, seen.error.message);
    } finally {
      stop();
      systemTimers.clearTimeout(timer);
      signal.removeEventListener('abort', gone);
    }
  }

  /** What a page shows to whoever asked. */
  async publishResult(look: string, seen: Seen): Promise<void> {
    await this.channels.publish(channelOf(look), JSON.stringify(seen));
  }

  /** Calls `tell` with what is told anywhere. @returns ends that */
  onInput(tell: (attempt: Attempt, driven: ControlInputBatch) => void): () => void {
    const { stop } = this.channels.subscribe('control-input', (message) => {
      const { run, epoch, ...driven } = JSON.parse(message.toString()) as Attempt & ControlInputBatch;
      tell({ run, epoch }, driven);
    });
    return stop;
  }
}

const channelOf = (look: string) => `inspection:${look}`;
