import type { Attempt, ToWorkerOf } from '@pilothouse/contract';
import type { Channels } from '@pilothouse/infra-stream';

/** What the worker of an attempt is told of its wheel. */
export type Driven = Omit<ToWorkerOf<'wheel'>, 'type' | keyof Attempt>;

/** What people at the wheel do, from whichever replica they ask to whichever holds the worker. Nothing of it is kept anywhere. */
export class WheelRelay {
  private readonly channels: Pick<Channels, 'publish' | 'subscribe'>;

  constructor(channels: Pick<Channels, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Resolves when it is on its way: what is told after it comes after it. */
  async tell(attempt: Attempt, driven: Driven): Promise<void> {
    await this.channels.publish('wheel', JSON.stringify({ ...attempt, ...driven } satisfies Attempt & Driven));
  }

  /** Calls `tell` with what is told anywhere. @returns ends that */
  onDriven(tell: (attempt: Attempt, driven: Driven) => void): () => void {
    const { stop } = this.channels.subscribe('wheel', (message) => {
      const { run, epoch, ...driven } = JSON.parse(message.toString()) as Attempt & Driven;
      tell({ run, epoch }, driven);
    });
    return stop;
  }
}
