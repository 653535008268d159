import type { AgentThinking } from '@pilothouse/contract';
import type { RedisPubSub } from '@pilothouse/infra-stream';

/** What agents are thinking, from whichever replica a worker talks to, to whichever replica somebody follows the run. It is kept nowhere. */
export class AgentThinkingRelay {
  private readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;

  constructor(channels: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Tells whoever follows the run now. */
  async publish(run: string, { step, turn, branch, branchPath, subject, text }: AgentThinking): Promise<void> {
    const thinking = { step, turn, branch, branchPath, subject, text } satisfies AgentThinking;
    await this.channels.publish(`agent-thinking:${run}`, JSON.stringify(thinking));
  }

  /** Calls `listener` with what is told of a run, as JSON. @returns how to stop */
  subscribe(run: string, listener: (thinking: string) => void): () => void {
    return this.channels.subscribe(`agent-thinking:${run}`, (message) => listener(message.toString())).stop;
  }
}
