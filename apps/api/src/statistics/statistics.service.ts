import { Inject } from '@nestjs/common';
import type { Statistics } from '@pilothouse/contract/api/project.routes';
import { runStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { RunStatistics, type HourCount } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import { CLOCK } from '../common/injection-tokens.ts';

const HOUR_MS = 3_600_000;

/** Recent run outcomes of a project. */
export class StatisticsService {
  constructor(
    @Inject(RunStatistics) private readonly statistics: RunStatistics,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param hours including the current one */
  async read({ project }: Caller, hours: number): Promise<Statistics> {
    const now = Math.floor(this.clock.now().getTime() / HOUR_MS);
    const start = new Date((now - hours + 1) * HOUR_MS);
    const { hours: hourCounts, ...counts } = await this.statistics.countSince(project.id, start);
    const byHour = Map.groupBy(hourCounts, ({ at }) => at.getTime());
    const runs = runsOf(hourCounts);
    const { total, modelFree } = counts.steps;
    return {
      ...counts,
      from: start.toISOString(),
      hours: Array.from({ length: hours }, (_, n) => {
        const hourStart = start.getTime() + n * HOUR_MS;
        const countsOfHour = byHour.get(hourStart) ?? [];
        return { at: new Date(hourStart).toISOString(), runs: runsOf(countsOfHour), usage: usageOf(countsOfHour) };
      }),
      runs,
      success: shareOf(runs.completed, runs.completed + runs.failed),
      modelFree: shareOf(modelFree, total),
      usage: usageOf(hourCounts),
      failures: [...counts.failures],
    };
  }
}

const shareOf = (part: number, total: number) => (total === 0 ? null : part / total);

const sum = (counts: readonly HourCount[], field: 'runs' | 'calls' | 'tokens' | 'usd') =>
  counts.reduce((total, count) => total + count[field], 0);

const runsOf = (counts: readonly HourCount[]) =>
  Object.fromEntries(
    runStatuses.map((status) => [
      status,
      sum(
        counts.filter((count) => count.status === status),
        'runs',
      ),
    ]),
  ) as Record<RunStatus, number>;

const usageOf = (counts: readonly HourCount[]) => ({
  calls: sum(counts, 'calls'),
  tokens: sum(counts, 'tokens'),
  usd: sum(counts, 'usd'),
});
