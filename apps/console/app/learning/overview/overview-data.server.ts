import { unwrapData, type Client } from '@pilothouse/client';
import type { Job } from '@pilothouse/contract/job/job.schema';
import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import type { Trace } from '@pilothouse/contract/learning/trace.schema';

/** Jobs, models and traces of each list of the overview. */
const MAX_ROWS = 5;

export interface LearningActivity {
  /** Active jobs first, then the last ones. Scoring jobs only while they are active. */
  jobs: Job[];
  /** Jobs of the last completed exports. */
  exports: Job[];
  /** Models in the stages `active`, `canary` and `shadow`. */
  models: RegisteredModel[];
  badTraces: Trace[];
  goodTraces: Trace[];
}

/** Reads the lists of the overview. @param start begin of the period, for the traces */
export async function readLearningActivity({ api }: Client, start: string): Promise<LearningActivity> {
  const jobsOf = async (query: { kind?: Job['kind'][]; status?: Job['status'][] }) =>
    (await unwrapData(api.GET('/v1/learning/jobs', { params: { query: { ...query, limit: MAX_ROWS } } }))).items;
  const modelsOf = async (stage: RegisteredModel['stage']) =>
    (await unwrapData(api.GET('/v1/registry/models', { params: { query: { stage, limit: MAX_ROWS } } }))).items;
  const tracesOf = async (quality: 'good' | 'bad') =>
    (
      await unwrapData(
        api.GET('/v1/traces', { params: { query: { from: start, quality: [quality], limit: MAX_ROWS } } }),
      )
    ).items;
  const [activeJobs, lastJobs, exports, active, canary, shadow, badTraces, goodTraces] = await Promise.all([
    jobsOf({ status: ['running', 'queued'] }),
    jobsOf({ kind: ['build_dataset', 'export', 'tune', 'evaluate'] }),
    jobsOf({ kind: ['export'], status: ['completed'] }),
    modelsOf('active'),
    modelsOf('canary'),
    modelsOf('shadow'),
    tracesOf('bad'),
    tracesOf('good'),
  ]);
  const jobs = new Map([...activeJobs, ...lastJobs].map((job) => [job.id, job]));
  return {
    jobs: [...jobs.values()].slice(0, MAX_ROWS),
    exports,
    models: [...active, ...canary, ...shadow],
    badTraces,
    goodTraces,
  };
}
