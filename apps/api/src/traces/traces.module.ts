import { Module } from '@nestjs/common';
import { ScoreRequestStore, TraceReviewStore, TraceStore, type Pool } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { TracesService } from './traces.service.ts';
import { TracesController } from './traces.controller.ts';

@Module({
  controllers: [TracesController],
  providers: [
    TracesService,
    { provide: TraceStore, useFactory: (pool: Pool) => new TraceStore(pool), inject: [POOL] },
    { provide: TraceReviewStore, useFactory: (pool: Pool) => new TraceReviewStore(pool, newId), inject: [POOL] },
    { provide: ScoreRequestStore, useFactory: (pool: Pool) => new ScoreRequestStore(pool, newId), inject: [POOL] },
  ],
  exports: [ScoreRequestStore],
})
export class TracesModule {}
