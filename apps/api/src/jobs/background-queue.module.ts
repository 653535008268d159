import { Global, Module } from '@nestjs/common';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { APP_CONTEXT } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';

/** Wakes job runners after a job was created or retried. */
@Global()
@Module({
  providers: [
    {
      provide: BackgroundQueue,
      inject: [APP_CONTEXT],
      useFactory: ({ config: { redisUrl, redisPrefix: prefix }, log }: AppContext) =>
        new BackgroundQueue({ redisUrl, prefix, log }),
    },
  ],
  exports: [BackgroundQueue],
})
export class BackgroundQueueModule {}
