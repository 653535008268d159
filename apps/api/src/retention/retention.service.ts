import { Inject } from '@nestjs/common';
import type { RetentionReport } from '@pilothouse/contract/api/project.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Caller } from '../http/route-request.ts';
import { LOG } from '../common/injection-tokens.ts';
import { RetentionTask } from './retention.task.ts';
import { RetentionCleaner } from './retention-cleaner.ts';

/** Milliseconds for a cleanup on demand; the time limit of the route is a little longer. */
const CLEANUP_MS = 90_000;

/** Cleanup on demand of the expired data of a project. */
export class RetentionService {
  constructor(
    @Inject(RetentionCleaner) private readonly cleaner: RetentionCleaner,
    @Inject(RetentionTask) private readonly job: RetentionTask,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError CONFLICT while another cleanup runs, UNAVAILABLE when the object store refuses */
  async run({ project, name }: Caller, dryRun: boolean, signal: AbortSignal): Promise<RetentionReport> {
    if (dryRun) return this.cleaner.preview(project.id);
    const report = await this.job.withLock(() =>
      this.cleaner.cleanUp(project.id, AbortSignal.any([signal, AbortSignal.timeout(CLEANUP_MS)])),
    );
    if (!report) throw new PilothouseError('CONFLICT', 'Another deletion of expired data is in progress. Try again.');
    this.log.info({ ...report, project: project.slug, by: name }, 'expired data deleted');
    return report;
  }
}
