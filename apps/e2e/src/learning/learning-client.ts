import type { ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetDetail, DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import type { TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { until } from '../harness/poll-until.ts';
import type { Client } from '../harness/stack-client.ts';

/** Requests of the learning API, and waits for its jobs. */
export class LearningClient {
  constructor(private readonly client: () => Client) {}

  get = <Result>(path: string) => this.client().json(path) as Promise<Result>;

  send = <Result>(method: string, path: string, body: object = {}) =>
    this.client().json(path, { method, body }) as Promise<Result>;

  /** The trace of a run once it is scored. */
  scoredTrace = (run: string): Promise<TraceDetail> =>
    until(`the trace of ${run} is scored`, async () => {
      const response = await this.client().request(`/v1/traces/${run}`);
      if (response.status === 404) return null;
      const trace = (await response.json()) as TraceDetail;
      return trace.scoredAt !== null && trace;
    });

  /** A job once it has ended. */
  endedJob = (id: string, ms = 60_000): Promise<Job> =>
    until(
      `the job ${id} ends`,
      async () => {
        const job = await this.get<Job>(`/v1/learning/jobs/${id}`);
        return !['queued', 'running'].includes(job.status) && job;
      },
      ms,
    );

  async buildDataset(body: object): Promise<DatasetDetail> {
    const { id, job } = await this.send<DatasetView>('POST', '/v1/datasets', body);
    await this.endedJob(job ?? '');
    return this.get(`/v1/datasets/${id}`);
  }

  startExport = (dataset: string, body: object) =>
    this.send<ExportView>('POST', `/v1/datasets/${dataset}/exports`, body);

  async finishedExport({ id, dataset, job }: ExportView, ms?: number): Promise<ExportView> {
    await this.endedJob(job ?? '', ms);
    return this.get(`/v1/datasets/${dataset}/exports/${id}`);
  }

  /** Text of a file of an export, from its signed URL. */
  async exportedFile({ id, dataset }: ExportView, name: string): Promise<string> {
    const { items } = await this.get<{ items: { name: string; transfer: { url: string } }[] }>(
      `/v1/datasets/${dataset}/exports/${id}/files`,
    );
    const url = items.find((file) => file.name === name)?.transfer.url;
    if (url === undefined) throw new Error(`The export has no file ${name}`);
    return (await fetch(url)).text();
  }

  startTuning = (body: object) => this.send<Job>('POST', '/v1/tuning/jobs', body);

  model = (name: string) => this.get<RegisteredModel>(`/v1/registry/models/${name}`);
}
