import { Inject } from '@nestjs/common';
import { PilothouseError, type RetentionReport } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import type { Caller } from '../http/route-request.ts';
import { LOG } from '../common/injection-tokens.ts';
import { RetentionJob } from './retention.job.ts';
import { RetentionCleaner } from './retention-cleaner.ts';

/** Milliseconds of a round that somebody waits for; the route allows a little more. */
const ROUND_MS = 90_000;

/** Removing on demand what a project no longer keeps. */
export class RetentionService {
  constructor(
    @Inject(RetentionCleaner) private readonly retention: RetentionCleaner,
    @Inject(RetentionJob) private readonly job: RetentionJob,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError CONFLICT while another round is at work, UNAVAILABLE when the object store refuses */
  async run({ project, name }: Caller, dryRun: boolean, signal: AbortSignal): Promise<RetentionReport> {
    if (dryRun) return this.retention.preview(project.id);
    const report = await this.job.withLock(() =>
      this.retention.cleanUp(project.id, AbortSignal.any([signal, AbortSignal.timeout(ROUND_MS)])),
    );
    if (!report) throw new PilothouseError('CONFLICT', 'What is no longer kept is being removed right now; ask again');
    this.log.info({ ...report, project: project.slug, by: name }, 'Removed what is no longer kept');
    return report;
  }
}
