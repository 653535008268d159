import { Inject } from '@nestjs/common';
import type { Actor } from '@pilothouse/contract/project/actor.schema';
import type { Page } from '@pilothouse/contract/api/query-params';
import type {
  AcceptedTraceLabels,
  AcceptTraceLabels,
  LabelTraceStep,
  ListTracesQuery,
  ScoreTraces,
  ScoreTracesResult,
  TraceStats,
  TraceStatsQuery,
} from '@pilothouse/contract/api/traces.routes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { CorrectedAction, Trace, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { reviewerAgreements } from '@pilothouse/core/learning/cohens-kappa';
import { checkCorrection } from '@pilothouse/core/learning/correction-check';
import { MAX_TURN_RECORD_BYTES, parseTurnRecord } from '@pilothouse/core/learning/parse-turn-record';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import { readObject, type ObjectStorage } from '@pilothouse/infra-blob';
import { ScoreRequestStore, TraceReviewStore, TraceStore } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { OBJECTS } from '../common/injection-tokens.ts';
import { newId } from '../common/new-id.ts';
import { actorFrom, type Caller } from '../http/route-request.ts';

interface StepRef {
  readonly run: string;
  readonly ordinal: number;
}

const traceNotFound = (run: string) => new PilothouseError('NOT_FOUND', `Trace of run ${run} not found.`);

/** Traces of a project and the labels of people. */
export class TracesService {
  constructor(
    @Inject(TraceStore) private readonly store: TraceStore,
    @Inject(TraceReviewStore) private readonly reviews: TraceReviewStore,
    @Inject(ScoreRequestStore) private readonly requests: ScoreRequestStore,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(OBJECTS) private readonly objects: Pick<ObjectStorage, 'store'>,
  ) {}

  list({ project }: Caller, query: ListTracesQuery): Promise<Page<Trace>> {
    return this.store.list(project.id, query);
  }

  /** @throws PilothouseError NOT_FOUND */
  async read({ project }: Caller, run: string): Promise<TraceDetail> {
    const trace = await this.store.read(project.id, run);
    if (!trace) throw traceNotFound(run);
    return trace;
  }

  /** @throws PilothouseError NOT_FOUND; GONE; VALIDATION_FAILED for a correction that is not possible */
  async label(caller: Caller, { run, ordinal }: StepRef, label: LabelTraceStep): Promise<TraceDetail> {
    const project = caller.project.id;
    const correctedActions =
      label.correctedActions && (await this.completeCorrection(project, { run, ordinal }, label.correctedActions));
    const isLabeled = await this.store.label(project, {
      ...{ id: newId(), run, ordinal, createdBy: reviewerOf(caller) },
      ...label,
      correctedActions,
    });
    if (!isLabeled) throw new PilothouseError('NOT_FOUND', `Step ${ordinal} of the trace of run ${run} not found.`);
    return this.read(caller, run);
  }

  /** Checks a correction against the page that the turn observed. @returns the actions; each claim has evidence */
  private async completeCorrection(
    project: string,
    { run, ordinal }: StepRef,
    corrected: readonly CorrectedAction[],
  ): Promise<CorrectedAction[]> {
    const trace = await this.store.read(project, run);
    if (!trace?.steps.some((step) => step.ordinal === ordinal))
      throw new PilothouseError('NOT_FOUND', `Step ${ordinal} of the trace of run ${run} not found.`);
    const key = await this.store.recordKey(project, run, ordinal);
    const bytes = key === null ? null : await this.readRecord(key);
    const parsed = bytes === null ? null : parseTurnRecord(bytes.toString('utf8'));
    if (!parsed || 'problem' in parsed)
      throw new PilothouseError(
        'GONE',
        'The record of the turn is missing or damaged, so that corrected actions cannot be checked. Label the step without them.',
      );
    const { actions, problems } = checkCorrection(corrected, parsed.record);
    if (!actions)
      throw new PilothouseError(
        'VALIDATION_FAILED',
        'The corrected actions are not possible on the page of the step.',
        {
          fields: problems.map(({ path, message }) => ({
            pointer: `/correctedActions/${path.join('/')}`,
            detail: message,
          })),
        },
      );
    return [...actions];
  }

  /** null: the object is missing. */
  private async readRecord(key: string): Promise<Buffer | null> {
    try {
      return await readObject(this.objects.store, key, MAX_TURN_RECORD_BYTES);
    } catch (error) {
      if (error instanceof PilothouseError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** @throws PilothouseError NOT_FOUND */
  async pin(caller: Caller, run: string, isPinned: boolean): Promise<Trace> {
    if (!(await this.store.pin(caller.project.id, run, isPinned))) throw traceNotFound(run);
    const { steps: _steps, ...trace } = await this.read(caller, run);
    return trace;
  }

  async score(caller: Caller, { filter, budgetUsd }: ScoreTraces): Promise<ScoreTracesResult> {
    const request = { filter, budgetUsd, version: SCORE_VERSION, createdBy: reviewerOf(caller) };
    const { jobs, isComplete } = await this.requests.rescore(caller.project.id, request);
    void this.queue.wake(jobs);
    return { version: SCORE_VERSION, jobs: jobs.length, isComplete };
  }

  accept(caller: Caller, acceptance: AcceptTraceLabels): Promise<AcceptedTraceLabels> {
    return this.reviews.accept(caller.project.id, { ...acceptance, createdBy: reviewerOf(caller) });
  }

  async stats({ project }: Caller, filter: TraceStatsQuery): Promise<TraceStats> {
    const [counts, labels] = await Promise.all([
      this.reviews.count(project.id, filter),
      this.reviews.reviewerLabels(project.id, filter),
    ]);
    const agreement = reviewerAgreements(labels).map((pair) => ({
      ...pair,
      reviewers: [...pair.reviewers] as [string, string],
    }));
    return { ...counts, agreement };
  }
}

/** @throws PilothouseError FORBIDDEN for Pilothouse itself */
function reviewerOf(caller: Caller): Actor {
  const actor = actorFrom(caller);
  if (!actor) throw new PilothouseError('FORBIDDEN', 'Only users and API keys can label traces.');
  return actor;
}
