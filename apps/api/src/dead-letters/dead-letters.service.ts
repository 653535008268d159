import { Inject } from '@nestjs/common';
import {
  PilothouseError,
  type DeadLetterPage,
  type ErrorView,
  type ListDeadLettersQuery,
  type RetryDeadLettersResult,
  type RetryDeadLetters,
  type RunView,
} from '@pilothouse/contract';
import { DeadLetterStore, type DeadLetterRef } from '@pilothouse/infra-db';
import pLimit from 'p-limit';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller } from '../http/route-request.ts';
import { toPublicError } from '../http/http-problem.ts';
import { RunSubmissionService } from '../runs/run-submission.service.ts';

/** Maximum number of runs that are submitted at the same time. */
const MAX_PARALLEL = 8;

/** What came of one dead letter. */
type Outcome = { run: string; retry: string } | { run: string; error: ErrorView };

const refusal = (run: string, error: PilothouseError): Outcome => ({ run, error: error.view() });

/** Runs that died of their way, and their second life. */
export class DeadLettersService {
  constructor(
    @Inject(DeadLetterStore) private readonly letters: DeadLetterStore,
    @Inject(RunSubmissionService) private readonly submits: RunSubmissionService,
  ) {}

  list({ project }: Caller, query: ListDeadLettersQuery): Promise<DeadLetterPage> {
    return this.letters.list(project.id, query);
  }

  /** Runs the dead letters of a choice again, each once; what cannot be is told with its reason. */
  async retry(
    caller: Caller,
    { errorCodes: codes, runs: ids, includeRetried: again, limit }: RetryDeadLetters,
    signal: AbortSignal,
  ): Promise<RetryDeadLettersResult> {
    const project = caller.project.id;
    // Of those that are named each gets an answer, so those that were run again are looked at, too.
    const only = again || ids ? undefined : false;
    const { found, left } = await this.letters.find(project, { codes, ids, retried: only }, limit);
    const submit = async (letter: DeadLetterRef) => (signal.aborted ? [] : [await this.once(caller, letter, again)]);
    const outcomes = (await pLimit(MAX_PARALLEL).map(found, submit)).flat();
    const known = new Set(found.map(({ id }) => id));
    const unknown = left > 0 ? [] : (ids ?? []).filter((id) => !known.has(id.toLowerCase()));
    return {
      retried: outcomes.filter((outcome) => 'retry' in outcome),
      failed: [
        ...outcomes.filter((outcome) => 'error' in outcome),
        ...unknown.map((run) => ({ run, error: new PilothouseError('NOT_FOUND', 'It is no dead letter').view() })),
      ],
      remaining: left + found.length - outcomes.length,
    };
  }

  private async once(caller: Caller, { id, retried }: DeadLetterRef, again: boolean): Promise<Outcome> {
    if (retried && !again) {
      return refusal(
        id,
        new PilothouseError('CONFLICT', 'It was run again before; set `includeRetried` to do so once more'),
      );
    }
    try {
      // Two who retry at the same time are one request by this key, so there is one new run.
      const answer = await this.submits.retry(caller, id, again ? undefined : `dead-letter:${id}`);
      if ('idempotency-replayed' in answer.headers) {
        return refusal(id, new PilothouseError('CONFLICT', 'Somebody else runs it again right now'));
      }
      return { run: id, retry: runOf(answer).id };
    } catch (thrown) {
      return refusal(id, toPublicError(thrown));
    }
  }
}

const runOf = ({ body }: HttpResponse<RunView>): RunView => body as RunView;
