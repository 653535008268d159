import { Inject } from '@nestjs/common';
import type { CancelRunsResult, RetryRunsResult } from '@pilothouse/contract/api/runs.routes';
import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import pLimit from 'p-limit';
import type { Caller } from '../http/route-request.ts';
import { toPublicError } from '../http/http-problem.ts';
import { RunsService } from './runs.service.ts';
import { retryOriginOf } from './run-origin.ts';
import { RunSubmitter } from './submit-run.ts';

/** Maximum number of runs that are changed at the same time. */
const MAX_PARALLEL = 8;

/** Result of one run. */
type Outcome<Result> = { run: string; result: Result } | { run: string; error: ErrorView };

/** Applies an operation to many runs, and reports the reason for each failure. */
export class BulkRunsService {
  constructor(
    @Inject(RunsService) private readonly runs: Pick<RunsService, 'cancel'>,
    @Inject(RunSubmitter) private readonly submitter: Pick<RunSubmitter, 'submit'>,
  ) {}

  async cancel(caller: Caller, ids: readonly string[], signal: AbortSignal): Promise<CancelRunsResult> {
    const outcomes = await applyToEach(ids, signal, (run) => this.runs.cancel(caller, run));
    const succeeded = outcomes.filter((outcome) => 'result' in outcome);
    const idsOf = (status: number) =>
      succeeded.flatMap(({ run, result: answer }) => (answer.status === status ? [run] : []));
    return { cancelled: idsOf(200), cancelling: idsOf(202), failed: failuresIn(outcomes) };
  }

  async retry(caller: Caller, ids: readonly string[], signal: AbortSignal): Promise<RetryRunsResult> {
    const { project } = caller;
    const outcomes = await applyToEach(ids, signal, (run) =>
      this.submitter.submit({ project, kind: 'repeat', run, overrides: {} }, retryOriginOf(caller, run)),
    );
    const succeeded = outcomes.filter((outcome) => 'result' in outcome);
    return {
      retried: succeeded.map(({ run, result }) => ({ run, retry: result.run })),
      failed: failuresIn(outcomes),
    };
  }
}

const failuresIn = (outcomes: readonly Outcome<unknown>[]) => outcomes.filter((outcome) => 'error' in outcome);

/** Applies an operation to each run once. Ids are compared without letter case. */
async function applyToEach<Result>(
  ids: readonly string[],
  signal: AbortSignal,
  work: (run: string) => Promise<Result>,
): Promise<Outcome<Result>[]> {
  const uniqueIds = new Set(ids.map((id) => id.toLowerCase()));
  return pLimit(MAX_PARALLEL).map(uniqueIds, async (run) =>
    signal.aborted ? timedOutOutcome(run) : outcomeOf(run, work),
  );
}

async function outcomeOf<Result>(run: string, work: (run: string) => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { run, result: await work(run) };
  } catch (error) {
    return { run, error: toPublicError(error).view() };
  }
}

const timedOutOutcome = (run: string): Outcome<never> => ({
  run,
  error: new PilothouseError('UNAVAILABLE', 'Not processed before the deadline. Try again.').view(),
});
