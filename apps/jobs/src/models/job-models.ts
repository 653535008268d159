import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelChoice } from '@pilothouse/contract/model/model-settings.schema';
import { MAX_MODEL_TIMEOUT_MS } from '@pilothouse/contract/model/model.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { readJobModelContext, retryWhileUnavailable, type ClaimedJob } from '@pilothouse/infra-db';
import { askChosenModels, resolveModels, type ConfiguredModels } from '@pilothouse/model';
import type { JobModels } from '../runner/job-handler.ts';
import { JobLedger, type JobLedgerDeps } from './job-ledger.ts';

export interface JobModelsDeps extends JobLedgerDeps {
  readonly providers: Pick<ConfiguredModels, 'get'>;
  /** Default models of the installation. */
  readonly fallback: ModelChoice | undefined;
  readonly log: Log;
}

/** Model calls of the attempts of jobs: with the models of the registry or of the project, within the budgets of job and month. */
export function createJobModels(job: ClaimedJob, signal: AbortSignal, deps: JobModelsDeps): JobModels {
  const { pool, providers, fallback, clock, log } = deps;
  const ledger = new JobLedger(job, deps);
  return {
    generate: async (request, target) => {
      signal.throwIfAborted();
      const deadline = clock.monotonic() + MAX_MODEL_TIMEOUT_MS;
      const jobContext = await retryWhileUnavailable(() => readJobModelContext(pool, job), { clock, deadline, signal });
      if (!jobContext) throw new PilothouseError('LEASE_LOST', 'Another attempt holds the job, or it has ended');
      const { choice, baseOf } = resolveModels(job.id, request, jobContext, fallback);
      return askChosenModels(
        request,
        { signal, deadline, log },
        {
          providers,
          choice: target ? { use: [target.model], ...(target.dialect && { dialect: target.dialect }) } : choice,
          baseOf: target ? () => target.base : baseOf,
          ledger: ledger.forRequest(jobContext),
          clock,
        },
      );
    },
  };
}
