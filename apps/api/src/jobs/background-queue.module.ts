import { Global, Module } from '@nestjs/common';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { APP_CONTEXT } from '../common/injection-tokens.ts';
import type { AppContext } from '../infrastructure/app-context.ts';
import { JobRunnerWatch } from './job-runner-watch.ts';

/** Wakes job runners after a job was created or retried, and tells when none runs. */
@Global()
@Module({
  providers: [
    JobRunnerWatch,
    {
      provide: BackgroundQueue,
      inject: [APP_CONTEXT],
      useFactory: ({ config: { redisUrl, redisPrefix: prefix }, log }: AppContext) =>
        new BackgroundQueue({ redisUrl, prefix, log }),
    },
  ],
  exports: [BackgroundQueue, JobRunnerWatch],
})
export class BackgroundQueueModule {}
