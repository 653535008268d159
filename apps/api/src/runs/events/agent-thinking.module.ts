import { Module } from '@nestjs/common';
import { APP_CONTEXT } from '../../common/injection-tokens.ts';
import type { AppContext } from '../../infrastructure/app-context.ts';
import { AgentThinkingRelay } from './agent-thinking-relay.ts';

/** The relay of agent thinking, shared by the gateway and the event streams. */
@Module({
  providers: [
    {
      provide: AgentThinkingRelay,
      inject: [APP_CONTEXT],
      useFactory: ({ channels }: AppContext) => new AgentThinkingRelay(channels),
    },
  ],
  exports: [AgentThinkingRelay],
})
export class AgentThinkingModule {}
