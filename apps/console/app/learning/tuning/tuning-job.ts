import type { Job } from '@pilothouse/contract/job/job.schema';
import type { StartTuning } from '@pilothouse/contract/learning/tuning.schema';
import { dollars } from '../../shared/number-format.ts';

/** Request of a job that tunes a model. */
export const requestOf = ({ params }: Pick<Job, 'params'>): StartTuning => params as unknown as StartTuning;

/** Field of the result of a tuning job. */
function resultField({ result }: Pick<Job, 'result'>, name: string): unknown {
  return typeof result === 'object' && result !== null && !Array.isArray(result) ? result[name] : undefined;
}

/** Name of the registered model; null: it is not registered. */
export function registeredNameOf(job: Pick<Job, 'result'>): string | null {
  const name = resultField(job, 'registered');
  return typeof name === 'string' ? name : null;
}

/** Cost of the trained tokens. */
export function tuningCostOf(job: Pick<Job, 'result' | 'status'>): string {
  const usd = resultField(job, 'usd');
  if (typeof usd === 'number') return dollars(usd);
  return job.status === 'completed' ? 'Cost not known' : '—';
}
