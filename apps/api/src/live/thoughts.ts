import type { Thinking } from '@pilothouse/contract';
import type { Channels } from '@pilothouse/infra-stream';

/** What agents are thinking, from whichever replica a worker talks to, to whichever replica somebody follows the run. It is kept nowhere. */
export class Thoughts {
  private readonly channels: Pick<Channels, 'publish' | 'subscribe'>;

  constructor(channels: Pick<Channels, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Tells whoever follows the run now. */
  async tell(run: string, { step, turn, branch, inner, of, thought }: Thinking): Promise<void> {
    const thinking = { step, turn, branch, inner, of, thought } satisfies Thinking;
    await this.channels.publish(`thinking:${run}`, JSON.stringify(thinking));
  }

  /** Calls `listener` with what is told of a run, as JSON. @returns how to stop */
  follow(run: string, listener: (thinking: string) => void): () => void {
    return this.channels.subscribe(`thinking:${run}`, (message) => listener(message.toString())).stop;
  }
}
