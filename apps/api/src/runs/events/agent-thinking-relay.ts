import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import { RunChannel, type RedisPubSub } from '@pilothouse/infra-stream';

/** Relays model thinking from the replica of the worker to the clients that follow the run. Stores nothing. */
export class AgentThinkingRelay {
  private readonly thinking: RunChannel<AgentThinking>;

  constructor(pubsub: Pick<RedisPubSub, 'publish' | 'subscribe'>) {
    this.thinking = new RunChannel(pubsub, 'agent-thinking');
  }

  /** Publishes to the current followers of the run. */
  async publish(run: string, { step, turn, branch, branchPath, subject, text }: AgentThinking): Promise<void> {
    await this.thinking.publish({ step, turn, branch, branchPath, subject, text }, run);
  }

  /** Calls `listener` with the thinking of a run. @returns unsubscribes */
  subscribe(run: string, listener: (thinking: AgentThinking) => void): () => void {
    return this.thinking.subscribe(listener, run).stop;
  }
}
