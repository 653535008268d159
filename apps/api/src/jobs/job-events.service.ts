import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import type { routes } from '@pilothouse/contract/api/route-table';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { sleep } from '@pilothouse/core/time/timers';
import { isDatabaseUnavailable, JobStore } from '@pilothouse/infra-db';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { sseResponse } from '../runs/events/sse-response.ts';
import type { SseFormat } from '../runs/events/sse-stream.ts';
import { JobsService } from './jobs.service.ts';

/** Milliseconds between two reads of a streamed job. Job runners have no connection to the API: the row is what they share. */
const READ_INTERVAL_MS = 1_000;

const hasEnded = ({ status }: Job): boolean => status !== 'queued' && status !== 'running';

/** Names a state of a job. */
const versionOf = (job: Job): string =>
  createHash('sha256').update(JSON.stringify(job)).digest('base64url').slice(0, 16);

const jobSseFormat: SseFormat<Job> = {
  opening: '',
  frames: (job) => `id: ${versionOf(job)}\ndata: ${JSON.stringify(job)}\n\n`,
  isLast: hasEnded,
};

/** Streams the states of a job. */
export class JobEventsService {
  constructor(
    @Inject(JobsService) private readonly jobs: Pick<JobsService, 'read'>,
    @Inject(JobStore) private readonly store: Pick<JobStore, 'read'>,
  ) {}

  /** @throws PilothouseError NOT_FOUND */
  async stream(call: RouteRequest<typeof routes.streamJob>): Promise<HttpResponse<undefined>> {
    const { caller, params, headers, signal } = call;
    const job = await this.jobs.read(caller, params.job);
    const lastVersion = headers['last-event-id'];
    if (hasEnded(job) && versionOf(job) === lastVersion) return new HttpResponse<undefined>(204, null);
    return sseResponse(call, this.watch(caller.project.id, params.job, lastVersion, signal), jobSseFormat);
  }

  /** The state of a job after each change, until it has ended or is deleted. An outage of PostgreSQL delays the next state. */
  private async *watch(
    project: string,
    id: string,
    lastVersion: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Job> {
    let version = lastVersion;
    while (!signal.aborted) {
      const job = await this.readIfAvailable(project, id);
      if (job === null) return;
      if (job !== undefined && versionOf(job) !== version) {
        version = versionOf(job);
        yield job;
        if (hasEnded(job)) return;
      }
      await sleep(READ_INTERVAL_MS, signal);
    }
  }

  /** @returns null if the job was deleted; undefined while PostgreSQL is unavailable */
  private async readIfAvailable(project: string, id: string): Promise<Job | null | undefined> {
    try {
      return await this.store.read(project, id);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return undefined;
      throw error;
    }
  }
}
