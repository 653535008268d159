import { Inject, Injectable } from '@nestjs/common';
import type { ModelCheck } from '@pilothouse/contract/model/model-check.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProjectSummary } from '@pilothouse/infra-db';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { ProjectSettingsStore, type ModelSpend } from '@pilothouse/infra-db';
import type { RateLimiter } from '@pilothouse/infra-queue';
import {
  checkModel,
  ConfiguredModels,
  createModelRateLimit,
  type CallLedger,
  type CheckedModel,
} from '@pilothouse/model';
import { APP_CONTEXT, MODEL_RATE_LIMITER } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import type { AppContext } from '../infrastructure/app-context.ts';

/** Milliseconds to record the usage of a call. */
const RECORD_TIMEOUT_MS = 10_000;

/** Maximum milliseconds of a check. It ends before the time limit of its route, so that its result is returned. */
const CHECK_TIMEOUT_MS = 280_000;

/** Checks models before the first run. Their usage counts in the monthly budget of the project. */
@Injectable()
export class ModelCheckService {
  private readonly models: ConfiguredModels;
  /** Projects with a check in progress in this process. */
  private readonly checkedProjects = new Set<string>();

  constructor(
    @Inject(APP_CONTEXT) private readonly context: AppContext,
    @Inject(ProjectSettingsStore) private readonly settings: Pick<ProjectSettingsStore, 'budgets'>,
    @Inject(MODEL_RATE_LIMITER) limiter: RateLimiter | null,
  ) {
    const { endpoints, overrides: entries, callsPerMinute: perMinute } = context.config.models;
    const { log } = context;
    const clock = systemClock;
    const turn = limiter && createModelRateLimit({ turns: limiter, perMinute, endpoints, clock, log });
    this.models = new ConfiguredModels({ endpoints, entries, clock, random: Math.random, ...(turn && { turn }) });
  }

  /**
   * @param signal aborts when the caller is gone
   * @throws PilothouseError MODEL_NOT_CONFIGURED, BUDGET_EXCEEDED; CONFLICT while another check of the project is in progress
   */
  async check(project: ProjectSummary, model: string | undefined, signal: AbortSignal): Promise<ModelCheck> {
    if (model === undefined)
      throw new PilothouseError('MODEL_NOT_CONFIGURED', 'No model is configured: name one, or set PILOTHOUSE_MODEL');
    const checked = this.models.checked(model);
    if (this.checkedProjects.has(project.id))
      throw new PilothouseError('CONFLICT', 'Another model check of this project is in progress: wait until it ends');
    this.checkedProjects.add(project.id);
    try {
      return await this.run(project, checked, signal);
    } finally {
      this.checkedProjects.delete(project.id);
    }
  }

  private async run(project: ProjectSummary, checked: CheckedModel, signal: AbortSignal): Promise<ModelCheck> {
    const { log } = this.context;
    const { month } = await this.settings.budgets(project.id);
    const ledger = this.ledgerOf(project, month);
    const deadline = systemClock.monotonic() + CHECK_TIMEOUT_MS;
    const result = await checkModel(checked, ledger, { signal, deadline, log }, systemClock);
    log.info({ project: project.id, model: result.model, tokens: result.tokens, usd: result.usd }, 'model checked');
    return result;
  }

  private ledgerOf(
    project: ProjectSummary,
    month: Awaited<ReturnType<ProjectSettingsStore['budgets']>>['month'],
  ): CallLedger {
    const { modelSpend } = this.context.stores;
    const clock = systemClock;
    return {
      open: async (_ref, _request, cost, { deadline, signal }) => {
        const budgeted = month && { project: project.id, projectName: project.name, month };
        const limit = { clock, deadline, signal };
        const reservation = budgeted ? await modelSpend.reserveWithinBudget(newId(), budgeted, cost, limit) : null;
        const settle = async (spend: ModelSpend) => {
          const isCounted = spend.tokens > 0 || spend.usd > 0;
          if (!isCounted && reservation === null) return;
          const recordLimit = { clock, deadline: clock.monotonic() + RECORD_TIMEOUT_MS };
          await modelSpend.settle(isCounted ? newId() : null, project.id, reservation, spend, recordLimit);
        };
        return {
          end: () => undefined,
          recordAnswer: ({ usage, usd }) => settle({ tokens: usage.inputTokens + usage.outputTokens, usd: usd ?? 0 }),
          recordFailure: (_error, spend) => settle(spend),
          release: () => settle({ tokens: 0, usd: 0 }),
        };
      },
    };
  }
}
