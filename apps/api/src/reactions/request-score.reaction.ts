import { Inject } from '@nestjs/common';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { ScoreRequestStore } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { LOG } from '../common/injection-tokens.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

/** Creates the trace of a run with recorded turns, and the job that scores it. */
export class RequestScoreReaction implements ReactionHandler {
  constructor(
    @Inject(ScoreRequestStore) private readonly requests: Pick<ScoreRequestStore, 'requestScore'>,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async execute({ run }: ReactionAttempt): Promise<void> {
    const job = await this.requests.requestScore(run, SCORE_VERSION);
    if (job === null) return;
    this.log.info({ run, job }, 'score requested');
    await this.queue.wake([job]);
  }
}
