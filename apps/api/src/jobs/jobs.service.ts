import { Inject } from '@nestjs/common';
import type { ListJobsQuery, RetryJob } from '@pilothouse/contract/api/learning.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { isEndedAtTuner, jobRoles } from '@pilothouse/contract/job/job-rules';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { roleIncludes } from '@pilothouse/contract/project/project-roles';
import { JobStore } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import type { Caller } from '../http/route-request.ts';
import { JobRunnerWatch } from './job-runner-watch.ts';

/** Background jobs of a project. Job runners execute them. */
export class JobsService {
  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(BackgroundQueue) private readonly queue: BackgroundQueue,
    @Inject(JobRunnerWatch) private readonly runners: Pick<JobRunnerWatch, 'condition'>,
  ) {}

  async list({ project }: Caller, query: ListJobsQuery): Promise<Page<Job>> {
    const { items, nextCursor } = await this.jobs.list(project.id, query);
    return { items: await Promise.all(items.map((job) => this.withCondition(job))), nextCursor };
  }

  /** @throws PilothouseError NOT_FOUND */
  async read({ project }: Caller, id: string): Promise<Job> {
    const job = await this.jobs.read(project.id, id);
    if (!job) throw new PilothouseError('NOT_FOUND', `Job ${id} not found.`);
    return this.withCondition(job);
  }

  private async withCondition(job: Job): Promise<Job> {
    const isDue = job.status === 'queued' && Date.parse(job.runAt) <= Date.now();
    const condition = isDue ? await this.runners.condition() : undefined;
    return condition ? { ...job, condition } : job;
  }

  /** @throws PilothouseError NOT_FOUND; FORBIDDEN; CONFLICT when it has ended */
  async cancel(caller: Caller, id: string): Promise<Job> {
    requireRole(caller, await this.read(caller, id), 'cancel');
    const isCancelled = await this.jobs.cancel(caller.project.id, id);
    const job = await this.read(caller, id);
    if (!isCancelled) throw new PilothouseError('CONFLICT', `The job has ended: it is ${job.status}.`);
    return job;
  }

  /** @throws PilothouseError NOT_FOUND; FORBIDDEN; CONFLICT when it has not failed and was not cancelled, or ended at its tuner */
  async retry(caller: Caller, id: string, { budgetUsd }: RetryJob): Promise<Job> {
    const found = await this.read(caller, id);
    requireRole(caller, found, 'retry');
    if (isEndedAtTuner(found))
      throw new PilothouseError('CONFLICT', 'The tuning job ended at its tuner. Start a new tuning job.');
    const isQueued = await this.jobs.retry(caller.project.id, id, budgetUsd);
    const job = await this.read(caller, id);
    if (!isQueued)
      throw new PilothouseError('CONFLICT', `The job is ${job.status}. Only failed and cancelled jobs are retried.`);
    await this.queue.wake([id]);
    return job;
  }
}

/** @throws PilothouseError FORBIDDEN */
function requireRole({ role }: Caller, { kind }: Job, action: 'cancel' | 'retry'): void {
  const required = jobRoles[kind];
  if (!roleIncludes(role, required))
    throw new PilothouseError('FORBIDDEN', `Only an ${required} can ${action} this job. Ask an admin.`);
}
