import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { idSchema, type Json } from '@pilothouse/contract/primitives.schema';
import { parseScoreAnswer, scoreTurnRequest } from '@pilothouse/core/learning/prompts/score-turn.prompt';
import { findByRules } from '@pilothouse/core/learning/score-rules';
import {
  needsCorrection,
  SCORE_VERSION,
  scoreOfAnswer,
  scoreOfFinding,
  traceActionsOf,
  traceFactsOf,
  unscored,
  withCorrection,
  type StepScore,
} from '@pilothouse/core/learning/score-steps';
import {
  inJobTransaction,
  readTraceToScore,
  saveModelLabel,
  saveTraceScore,
  type NewTraceStep,
  type TraceToScore,
} from '@pilothouse/infra-db';
import { z } from 'zod';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';
import { readRecordFiles, readScreenshot, type RecordFile } from './record-files.ts';

/** Parameters of a job of kind `score`. */
const scoreParams = z.strictObject({ run: idSchema });
interface ScoreParams {
  readonly run: string;
}

/** Errors after which no further step of the trace is sent to the model. The job completes with a note. */
const ENDING_CODES: ReadonlySet<ErrorCode> = new Set(['BUDGET_EXCEEDED', 'MODEL_NOT_CONFIGURED']);

/** Errors that concern one step only. */
const STEP_CODES: ReadonlySet<ErrorCode> = new Set(['MODEL_REFUSED', 'MODEL_INVALID']);

/** A record file with its number in the trace. */
interface Turn extends RecordFile {
  readonly ordinal: number;
}

/** State of an attempt. */
interface ScoreAttempt {
  readonly trace: TraceToScore;
  readonly turns: readonly Turn[];
  readonly job: JobContext;
  readonly scores: Map<number, StepScore>;
  calls: number;
  /** Error that ended the calls of the model; null: none. */
  stopError: PilothouseError | null;
}

/** Scores of one attempt. */
interface Scoring {
  readonly scores: ReadonlyMap<number, StepScore>;
  readonly calls: number;
  /** Reason why steps have no score or no correction; null: the score is complete. */
  readonly note: string | null;
}

/**
 * Scores the turns of a finished run: rules first, then a model for the rest. Then the model corrects the turns that rules call bad. Each answer is stored as a label at once, so that another
 * attempt does not ask again.
 */
export class ScoreJob implements JobHandler<ScoreParams> {
  readonly params = scoreParams;

  constructor(
    private readonly deps: JobDependencies,
    private readonly newId: () => string,
  ) {}

  async run({ run }: ScoreParams, job: JobContext): Promise<Json> {
    const { pool, objects } = this.deps;
    const trace = await readTraceToScore(pool, run, SCORE_VERSION);
    if (!trace) return { run, skipped: 'The run is deleted.' };
    const turns = numberTurns(await readRecordFiles(objects, trace), trace);
    const records = turns.flatMap(({ record }) => record ?? []);
    if (records.length === 0 && trace.ordinals.size > 0)
      return { run, skipped: 'The records of the run have expired.' };
    const { scores, calls, note } = await this.score(trace, turns, job);
    const steps = turns.map((turn): NewTraceStep => this.stepOf(turn, scores));
    await inJobTransaction(pool, job, (client) =>
      saveTraceScore(client, { run, version: SCORE_VERSION, steps, ...traceFactsOf(records), note }),
    );
    return { run, version: SCORE_VERSION, steps: steps.length, calls, note };
  }

  private async score(trace: TraceToScore, turns: readonly Turn[], job: JobContext): Promise<Scoring> {
    const attempt: ScoreAttempt = { trace, turns, job, scores: new Map(), calls: 0, stopError: null };
    await this.scoreTurns(attempt);
    const uncorrectedCount = await this.correctTurns(attempt);
    const { scores, calls, stopError } = attempt;
    if (!stopError) return { scores, calls, note: null };
    const unscoredCount = [...scores.values()].filter(({ reason }) => reason === stopError.message).length;
    const counts = [
      ...(unscoredCount > 0 ? [`Steps without a score: ${unscoredCount}.`] : []),
      ...(uncorrectedCount > 0 ? [`Steps without a correction: ${uncorrectedCount}.`] : []),
    ];
    return { scores, calls, note: [stopError.message, ...counts].join(' ') };
  }

  private async scoreTurns(attempt: ScoreAttempt): Promise<void> {
    const { trace, turns, job, scores } = attempt;
    const findings = findByRules(
      turns.map(({ record }) => record),
      { isCompleted: trace.status === 'completed' },
    );
    const labels = new Map(trace.labels.map(({ ordinal, ...label }) => [ordinal, label]));
    for (const [index, turn] of turns.entries()) {
      job.signal.throwIfAborted();
      const { record, problem, ordinal } = turn;
      const finding = findings[index];
      const label = labels.get(ordinal);
      if (record === null) scores.set(ordinal, unscored(problem ?? 'The turn has no record.'));
      else if (finding) scores.set(ordinal, scoreOfFinding(finding));
      else if (label)
        scores.set(ordinal, {
          ...label,
          source: 'model',
          isDoubtful: label.quality === 'unknown' || label.note !== null,
        });
      else if (attempt.stopError) scores.set(ordinal, unscored(attempt.stopError.message));
      else {
        const result = await this.askModel(attempt, { record, index, ordinal, ruleReason: null });
        if (result instanceof PilothouseError) attempt.stopError = result;
        scores.set(ordinal, result instanceof PilothouseError ? unscored(result.message) : result);
        await job.progress(scores.size, turns.length, 'steps');
      }
    }
  }

  /**
   * Adds corrections of the model to turns that rules call bad, after all other turns have a score. Steps with a label of a person need
   * none. @returns number of steps without a correction because the model calls ended
   */
  private async correctTurns(attempt: ScoreAttempt): Promise<number> {
    const { trace, turns, job, scores } = attempt;
    const labels = new Map(trace.labels.map((label) => [label.ordinal, label]));
    let uncorrectedCount = 0;
    for (const [index, { record, ordinal }] of turns.entries()) {
      const score = scores.get(ordinal);
      if (record === null || !score || !needsCorrection(score) || trace.reviewedOrdinals.has(ordinal)) continue;
      job.signal.throwIfAborted();
      const label = labels.get(ordinal);
      if (label) scores.set(ordinal, withCorrection(score, label));
      else if (attempt.stopError) uncorrectedCount += 1;
      else {
        const result = await this.askModel(attempt, { record, index, ordinal, ruleReason: score.reason });
        if (!(result instanceof PilothouseError)) scores.set(ordinal, withCorrection(score, result));
        // Without a model, a score by rules alone is complete.
        else if (result.code === 'MODEL_NOT_CONFIGURED') return 0;
        else {
          attempt.stopError = result;
          uncorrectedCount += 1;
        }
      }
    }
    return uncorrectedCount;
  }

  /** Asks the model about one turn. @returns its score; the error that ends the scoring of the trace */
  private async askModel(
    attempt: ScoreAttempt,
    {
      record,
      index,
      ordinal,
      ruleReason,
    }: { record: TurnRecord; index: number; ordinal: number; ruleReason: string | null },
  ): Promise<StepScore | PilothouseError> {
    const { trace, turns, job } = attempt;
    attempt.calls += 1;
    const next = turns.slice(index + 1).find((turn) => turn.record !== null)?.record ?? null;
    const screenshot = await readScreenshot(this.deps.objects, trace, record);
    const request = scoreTurnRequest({ record, next, screenshot, status: trace.status, ruleReason }, this.newId());
    let text: string;
    try {
      ({ text } = await job.models.generate(request));
    } catch (error) {
      if (!(error instanceof PilothouseError)) throw error;
      if (STEP_CODES.has(error.code)) return unscored(error.message);
      if (ENDING_CODES.has(error.code)) return error;
      throw error;
    }
    const score = scoreOfAnswer(parseScoreAnswer(text), record);
    await inJobTransaction(this.deps.pool, job, (client) =>
      saveModelLabel(client, trace.run, SCORE_VERSION, { ordinal, ...score }, this.newId()),
    );
    job.throwIfStopping();
    return score;
  }

  private stepOf({ file, record, ordinal }: Turn, scores: Scoring['scores']): NewTraceStep {
    return {
      label: this.newId(),
      ordinal,
      step: record?.step ?? file.step ?? 0,
      turn: record?.turn ?? 0,
      branch: record?.branch ?? null,
      record: file.id,
      screenshot: record?.screenshot?.artifact ?? null,
      thought: record?.thought ?? '',
      actions: record ? traceActionsOf(record) : [],
      ...(scores.get(ordinal) ?? unscored('The turn was not scored.')),
    };
  }
}

/** Numbers the turns. Turns of an earlier score have their earlier numbers. Omits those whose record is now missing. */
function numberTurns(files: readonly RecordFile[], { ordinals }: TraceToScore): Turn[] {
  let last = Math.max(0, ...ordinals.values());
  return files
    .filter(({ file, record }) => record !== null || !ordinals.has(file.id))
    .map((turn) => ({ ...turn, ordinal: ordinals.get(turn.file.id) ?? (last += 1) }));
}
