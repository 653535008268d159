import {
  MAX_TRACE_REASON,
  type Trace,
  type TraceAssessment,
  type TraceAction,
  type TraceSource,
} from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { uriOriginOf } from '../origin/uri-origin.ts';
import { SCORE_TURN_PROMPT, type ScoreAnswer } from './prompts/score-turn.prompt.ts';
import { correctionOf } from './score-correction.ts';
import { SCORE_RULES_VERSION, type RuleFinding } from './score-rules.ts';

/** Version of scores: of the rules, and of the prompt. */
export const SCORE_VERSION = `${SCORE_RULES_VERSION}.${SCORE_TURN_PROMPT.version}`;

/** Score of one turn. */
export interface StepScore extends TraceAssessment {
  readonly source: TraceSource;
  readonly isDoubtful: boolean;
  readonly note: string | null;
}

const noCorrection = { correctedThought: null, correctedActions: null, note: null } as const;

const limitReason = (reason: string): string => reason.slice(0, MAX_TRACE_REASON).toWellFormed();

/** A turn that was not scored, with the reason. A person has to look at it. */
export const unscored = (reason: string): StepScore => ({
  ...noCorrection,
  quality: 'unknown',
  reason: limitReason(reason),
  source: 'rule',
  isDoubtful: true,
});

export const scoreOfFinding = ({ quality, reason, source, correctedActions }: RuleFinding): StepScore => ({
  ...noCorrection,
  quality,
  reason: limitReason(reason),
  correctedActions: correctedActions && [...correctedActions],
  source,
  isDoubtful: false,
});

/** @param answer null: the answer of the model is unusable */
export function scoreOfAnswer(answer: ScoreAnswer | null, record: TurnRecord): StepScore {
  if (answer === null) return { ...unscored('The answer of the model cannot be used.'), source: 'model' };
  const { correctedThought, correctedActions, note } = correctionOf(answer, record);
  return {
    quality: answer.quality,
    reason: limitReason(answer.reason === '' ? 'The model gave no reason.' : answer.reason),
    correctedThought,
    correctedActions: correctedActions && [...correctedActions],
    source: 'model',
    isDoubtful: answer.quality === 'unknown' || note !== null,
    note: note === null ? null : limitReason(note),
  };
}

/** True if a model should correct the step: a rule calls it bad, and no person took over. Preference pairs need the correction. */
export const needsCorrection = ({ quality, source, correctedActions }: StepScore): boolean =>
  quality === 'bad' && source === 'rule' && correctedActions === null;

/** The score of a rule with the correction of a model. Quality, reason and source remain those of the rule. */
export const withCorrection = (
  score: StepScore,
  { correctedThought, correctedActions, note }: Pick<StepScore, 'correctedThought' | 'correctedActions' | 'note'>,
): StepScore => ({ ...score, correctedThought, correctedActions, note });

/** Actions of a record as a trace shows them. */
export const traceActionsOf = ({ actions, outcomes }: TurnRecord): TraceAction[] =>
  actions.map(({ kind, title, action, target, sequence }) => ({
    kind,
    title,
    action,
    target,
    error: outcomes.find((outcome) => sequence !== null && outcome.sequence === sequence)?.error ?? null,
  }));

/** Maximum length of a trace's goal, in characters. */
const MAX_GOAL_CHARS = 2000;

/** Maximum sites of a trace. */
const MAX_SITES = 50;

/** Facts of a trace from its records. */
export function traceFactsOf(records: readonly TurnRecord[]): Pick<Trace, 'goal' | 'model' | 'sites'> {
  const goals = [...new Set(records.map(({ goal }) => goal))].join('\n');
  const models = new Map<string, number>();
  for (const { model } of records) if (model !== null) models.set(model, (models.get(model) ?? 0) + 1);
  const [first] = [...models].toSorted(([, a], [, b]) => b - a);
  const sites = new Set(
    records
      .map(({ observation }) => uriOriginOf(observation.url))
      .flatMap(({ id, name }) => (id === null ? [] : [name])),
  );
  return {
    goal: goals.slice(0, MAX_GOAL_CHARS).toWellFormed(),
    model: first?.[0] ?? null,
    sites: [...sites].toSorted().slice(0, MAX_SITES),
  };
}
