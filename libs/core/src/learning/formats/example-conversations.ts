import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { ExportObjective } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Dialect } from '@pilothouse/contract/model/model.schema';
import { writeAnswer } from '../../agent/dialects/write-answer.ts';
import type { AnswerToWrite } from '../../agent/tools/written-answer.ts';
import { canonicalJson } from '../dataset/canonical-json.ts';
import { withoutControlTokensIn } from './control-tokens.ts';
import { reject, writeContext, type Conversations, type ImageFile } from './conversation.ts';
import { plannedActions } from './example-actions.ts';
import { isPointing, promptOf } from './example-prompt.ts';
import { groundingOf } from './grounding.ts';

export interface ConversationOptions {
  readonly objective: ExportObjective;
  readonly dialect: Dialect;
}

/** Writes an example for an objective. */
export function conversationsOf(
  source: DatasetExample,
  image: ImageFile | null,
  { objective, dialect }: ConversationOptions,
): Conversations {
  const example = withoutControlTokensIn(source);
  if (isPointing(dialect) && !image) return reject(`${dialect} needs a screenshot, and the step has none`);
  if (objective === 'grounding') return groundingOf(example, image, dialect);
  const context = writeContext(example, image);
  const { quality, correction } = example;
  if (objective === 'preference' && !(quality === 'bad' && correction))
    return reject('A preference pair needs a bad step with a correction');
  if (quality === 'unknown') return reject('The quality of the step is unknown');
  if (quality === 'bad' && !correction) return reject('The step is bad and has no correction');
  const answer = writeAnswer(dialect, answerToWrite(correction ?? example, example, correction === null), context);
  if (answer.kind === 'unwritable') return reject(answer.reason);
  const bad = objective === 'preference' ? writeAnswer(dialect, answerToWrite(example, example, false), context) : null;
  if (bad?.kind === 'unwritable') return reject(`The bad answer: ${bad.reason}`);
  if (bad && canonicalJson(bad) === canonicalJson(answer)) return reject('The correction repeats the bad answer');
  const prompt = promptOf(example, image, dialect);
  return { kind: 'written', items: [{ ...prompt, image, answer, rejected: bad }] };
}

const answerToWrite = (
  { thought, actions }: Pick<DatasetExample, 'thought' | 'actions'>,
  example: DatasetExample,
  hasExpectation: boolean,
): AnswerToWrite => ({
  thought,
  actions: plannedActions(actions, example),
  expects: hasExpectation ? (example.expects ?? undefined) : undefined,
});
