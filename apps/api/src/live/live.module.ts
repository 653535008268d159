import { Module } from '@nestjs/common';
import { holdsLease } from '@pilothouse/infra-db';
import { APP_CONTEXT } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { RunsModule } from '../runs/runs.module.ts';
import { LiveFrameRelay } from './live-frame-relay.ts';
import { LiveController } from './live.controller.ts';

/** The relay of screencast frames, shared by the gateway and the live view. */
@Module({
  providers: [
    {
      provide: LiveFrameRelay,
      inject: [APP_CONTEXT],
      useFactory: ({ channels, pool }: AppContext) =>
        new LiveFrameRelay({ channels, isHolder: (attempt) => holdsLease(pool, attempt) }),
    },
  ],
  exports: [LiveFrameRelay],
})
export class LiveRelayModule {}

@Module({
  imports: [LiveRelayModule, RunsModule],
  controllers: [LiveController],
})
export class LiveModule {}
