import { Inject } from '@nestjs/common';
import type {
  DeadLetterPage,
  ListDeadLettersQuery,
  RetryDeadLettersResult,
  RetryDeadLetters,
} from '@pilothouse/contract/api/dead-letters.routes';
import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { DeadLetterStore, type DeadLetterRef } from '@pilothouse/infra-db';
import pLimit from 'p-limit';
import type { Caller } from '../http/route-request.ts';
import { toPublicError } from '../http/http-problem.ts';
import { retryOriginOf } from '../runs/run-origin.ts';
import { RunSubmitter } from '../runs/submit-run.ts';

/** Maximum number of runs that are submitted at the same time. */
const MAX_PARALLEL = 8;

/** Result of the retry of one dead letter. */
type Outcome = { run: string; retry: string } | { run: string; error: ErrorView };

const failureOf = (run: string, error: PilothouseError): Outcome => ({ run, error: error.view() });

/** Lists and retries runs that failed because of infrastructure, not because of a step. */
export class DeadLettersService {
  constructor(
    @Inject(DeadLetterStore) private readonly letters: DeadLetterStore,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
  ) {}

  list({ project }: Caller, query: ListDeadLettersQuery): Promise<DeadLetterPage> {
    return this.letters.list(project.id, query);
  }

  /** Retries the selected dead letters, each once. The result names those that cannot be retried, with the reason. */
  async retry(
    caller: Caller,
    { errorCodes: codes, runs: ids, includeRetried, limit }: RetryDeadLetters,
    signal: AbortSignal,
  ): Promise<RetryDeadLettersResult> {
    const project = caller.project.id;
    // Each run of the request gets a result, so retried ones are read too.
    const retried = includeRetried || ids ? undefined : false;
    const { found: selected, left: remaining } = await this.letters.find(project, { codes, ids, retried }, limit);
    const submit = async (letter: DeadLetterRef) =>
      signal.aborted ? [] : [await this.retryOne(caller, letter, includeRetried)];
    const outcomes = (await pLimit(MAX_PARALLEL).map(selected, submit)).flat();
    const selectedIds = new Set(selected.map(({ id }) => id));
    const unknownIds = remaining > 0 ? [] : (ids ?? []).filter((id) => !selectedIds.has(id.toLowerCase()));
    return {
      retried: outcomes.filter((outcome) => 'retry' in outcome),
      failed: [
        ...outcomes.filter((outcome) => 'error' in outcome),
        ...unknownIds.map((run) => ({
          run,
          error: new PilothouseError('NOT_FOUND', 'The run is not a dead letter.').view(),
        })),
      ],
      remaining: remaining + selected.length - outcomes.length,
    };
  }

  private async retryOne(caller: Caller, { id, retried }: DeadLetterRef, includeRetried: boolean): Promise<Outcome> {
    if (retried && !includeRetried) {
      return failureOf(id, new PilothouseError('CONFLICT', 'Already retried. Set `includeRetried` to retry it again.'));
    }
    try {
      // The key turns simultaneous retries into one request, so that there is one new run.
      const { run, isRepeated } = await this.submitter.submit(
        { project: caller.project, kind: 'repeat', run: id, overrides: {} },
        retryOriginOf(caller, id, includeRetried ? undefined : `dead-letter:${id}`),
      );
      if (isRepeated) {
        return failureOf(id, new PilothouseError('CONFLICT', 'Another request is retrying this run'));
      }
      return { run: id, retry: run };
    } catch (error) {
      return failureOf(id, toPublicError(error));
    }
  }
}
