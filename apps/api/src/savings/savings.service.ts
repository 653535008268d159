import { Inject } from '@nestjs/common';
import type { RepeatedGoalsQuery, SavingsQuery } from '@pilothouse/contract/api/savings.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { RepeatedGoalStore, SavingsStore } from '@pilothouse/infra-db';
import { CLOCK } from '../common/injection-tokens.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Savings of a project, and goals that are worth compiling. */
export class SavingsService {
  constructor(
    @Inject(SavingsStore) private readonly savings: SavingsStore,
    @Inject(RepeatedGoalStore) private readonly goals: RepeatedGoalStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws PilothouseError VALIDATION_FAILED for a period that is empty or too long */
  async read({ project }: Caller, query: SavingsQuery): Promise<Savings> {
    const end = query.to === undefined ? this.clock.now() : new Date(query.to);
    const start = query.from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(query.from);
    const problem =
      start >= end
        ? '`from` is not before `to`. Use an earlier instant.'
        : end.getTime() - start.getTime() > MAX_DAYS * DAY_MS
          ? `The period is longer than ${MAX_DAYS} days. Use a later instant.`
          : null;
    if (problem !== null) throw validationError('query', [{ pointer: 'query/from', detail: problem }]);
    return this.savings.read(project.id, start, end);
  }

  async repeatedGoals(
    { project }: Caller,
    { days, minRuns, dismissed }: RepeatedGoalsQuery,
  ): Promise<{ items: RepeatedGoal[] }> {
    const start = new Date(this.clock.now().getTime() - days * DAY_MS);
    return { items: await this.goals.list(project.id, { start, days, minRuns, dismissed }) };
  }

  /** @throws PilothouseError NOT_FOUND */
  async dismiss(caller: Caller, goal: string): Promise<undefined> {
    const isFound = await this.goals.dismiss(caller.project.id, goal, actorFrom(caller));
    if (!isFound)
      throw new PilothouseError(
        'NOT_FOUND',
        `Goal ${goal} not found. List the goals with GET /v1/savings/repeated-goals.`,
      );
  }

  /** @throws PilothouseError NOT_FOUND */
  async restore({ project }: Caller, goal: string): Promise<undefined> {
    const isFound = await this.goals.restore(project.id, goal);
    if (!isFound) throw new PilothouseError('NOT_FOUND', `The goal ${goal} is not dismissed.`);
  }
}
