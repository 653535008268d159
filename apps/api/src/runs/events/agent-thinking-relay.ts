import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { RedisPubSub } from '@pilothouse/infra-stream';

/** Relays model thinking from the replica of the worker to the clients that follow the run. Stores nothing. */
export class AgentThinkingRelay {
  private readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;

  constructor(channels: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.channels = channels;
  }

  /** Publishes to the current followers of the run. */
  async publish(run: string, { step, turn, branch, branchPath, subject, text }: AgentThinking): Promise<void> {
    const thinking = { step, turn, branch, branchPath, subject, text } satisfies AgentThinking;
    await this.channels.publish(`agent-thinking:${run}`, JSON.stringify(thinking));
  }

  /** Calls `listener` with the thinking of a run, as JSON. @returns unsubscribes */
  subscribe(run: string, listener: (thinking: string) => void): () => void {
    return this.channels.subscribe(`agent-thinking:${run}`, (message) => listener(message.toString())).stop;
  }
}
