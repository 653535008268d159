import { Inject } from '@nestjs/common';
import { runStatuses, type RunStatus, type Statistics } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';
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
    const from = new Date((now - hours + 1) * HOUR_MS);
    const { hours: counted, ...counts } = await this.statistics.since(project.id, from);
    const byHour = Map.groupBy(counted, ({ at }) => at.getTime());
    const runs = runsOf(counted);
    const { total, modelFree } = counts.steps;
    return {
      ...counts,
      from: from.toISOString(),
      hours: Array.from({ length: hours }, (_, n) => {
        const at = from.getTime() + n * HOUR_MS;
        const own = byHour.get(at) ?? [];
        return { at: new Date(at).toISOString(), runs: runsOf(own), usage: usageOf(own) };
      }),
      runs,
      success: shareOf(runs.completed, runs.completed + runs.failed),
      modelFree: shareOf(modelFree, total),
      usage: usageOf(counted),
      failures: [...counts.failures],
    };
  }
}

const shareOf = (part: number, whole: number) => (whole === 0 ? null : part / whole);

const sum = (counted: readonly HourCount[], of: 'runs' | 'calls' | 'tokens' | 'usd') =>
  counted.reduce((total, count) => total + count[of], 0);

const runsOf = (counted: readonly HourCount[]) =>
  Object.fromEntries(
    runStatuses.map((status) => [
      status,
      sum(
        counted.filter((count) => count.status === status),
        'runs',
      ),
    ]),
  ) as Record<RunStatus, number>;

const usageOf = (counted: readonly HourCount[]) => ({
  calls: sum(counted, 'calls'),
  tokens: sum(counted, 'tokens'),
  usd: sum(counted, 'usd'),
});
