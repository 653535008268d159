import type { JobKind } from '@pilothouse/contract/job/job.schema';
import type { ModelContext } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { checkModelBudget } from '@pilothouse/core/run/budget-check';
import {
  RECORD_RETRY_MS,
  addJobUsage,
  type ClaimedJob,
  type JobModelContext,
  type ModelSpend,
  type ModelSpendStore,
  type Pool,
  type RetryDeadline,
} from '@pilothouse/infra-db';
import { CallsInFlight, type CallLedger } from '@pilothouse/model';
import type { JobsMetrics } from '../jobs.metrics.ts';

export interface JobLedgerDeps {
  readonly pool: Pool;
  readonly monthlySpend: Pick<ModelSpendStore, 'reserveWithinBudget' | 'settle'>;
  readonly metrics: Pick<JobsMetrics, 'onModelAnswer' | 'onModelFailure'>;
  /** Makes identifiers. */
  readonly newId: () => string;
  readonly clock: Clock;
}

/**
 * Model usage of one attempt of a job. Only this attempt makes calls for the job. So the budget of the job is checked
 * against earlier usage and its own calls. All callers share the monthly budget of the project, reserved in PostgreSQL.
 */
export class JobLedger {
  readonly #deps: JobLedgerDeps;
  readonly #job: Pick<ClaimedJob, 'id' | 'project' | 'budgetUsd'>;
  readonly #kind: JobKind;
  readonly #inFlight = new CallsInFlight();
  #usedUsd: number;

  constructor(job: ClaimedJob, deps: JobLedgerDeps) {
    this.#job = job;
    this.#kind = job.kind;
    this.#usedUsd = job.usedUsd;
    this.#deps = deps;
  }

  /** @param jobContext settings of the project at the time of the request */
  forRequest(jobContext: JobModelContext): CallLedger {
    const { metrics, monthlySpend, newId } = this.#deps;
    return {
      open: async (_ref, _request, cost, context) => {
        const budget = this.#job.budgetUsd === null ? {} : { usd: this.#job.budgetUsd };
        const error = checkModelBudget(budget, this.#inFlight.totalWith({ tokens: 0, usd: this.#usedUsd }), cost);
        if (error) throw error;
        const endInFlight = this.#inFlight.start(cost);
        const { projectName, month } = jobContext;
        const project = { project: this.#job.project, projectName };
        const reservation = await (
          month
            ? monthlySpend.reserveWithinBudget(newId(), { ...project, month }, cost, this.#callDeadline(context))
            : null
        )?.catch((reason: unknown) => {
          endInFlight();
          throw reason;
        });
        const settle = async (spend: ModelSpend) => {
          const isCounted = spend.tokens > 0 || spend.usd > 0;
          if (isCounted || reservation)
            await monthlySpend.settle(
              isCounted ? newId() : null,
              this.#job.project,
              reservation ?? null,
              spend,
              this.#recordDeadline(),
            );
          if (isCounted) await this.#addUsage(spend);
        };
        // The spend is added before the call leaves `#inFlight`, so that each check includes it.
        const end = (spend: ModelSpend) => {
          this.#usedUsd += spend.usd;
          endInFlight();
          return settle(spend);
        };
        return {
          end: () => undefined,
          recordAnswer: async (answer, outcome) => {
            metrics.onModelAnswer(this.#kind, answer, outcome);
            await end({ tokens: answer.usage.inputTokens + answer.usage.outputTokens, usd: answer.usd ?? 0 });
          },
          recordFailure: async ({ code }, spend) => {
            metrics.onModelFailure(this.#kind, code);
            await end(spend);
          },
          release: () => end({ tokens: 0, usd: 0 }),
        };
      },
    };
  }

  async #addUsage(spend: ModelSpend): Promise<void> {
    const { pool, newId } = this.#deps;
    await addJobUsage(pool, { id: newId(), job: this.#job.id, ...spend }, this.#recordDeadline());
  }

  /** The model was not called yet, so retries end with the deadline of the call. */
  #callDeadline({ signal, deadline }: ModelContext): RetryDeadline {
    return { clock: this.#deps.clock, deadline, signal };
  }

  #recordDeadline(): RetryDeadline {
    const { clock } = this.#deps;
    return { clock, deadline: clock.monotonic() + RECORD_RETRY_MS };
  }
}
