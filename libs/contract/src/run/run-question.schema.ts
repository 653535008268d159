import { z } from 'zod';
import { targetSchema } from '../actions/locator.schema.ts';
import { timestampSchema } from '../primitives.schema.ts';
import { controlTokenSchema } from '../control/control.schema.ts';
import { APPROVAL_QUESTION_NUMBER } from './approval-question.ts';

/** Answers to a question about an interrupted step, or to an agent. */
export const answerChoices = ['continue', 'retry', 'decline', 'fail'] as const;
export const answerChoiceSchema = z
  .enum(answerChoices)
  .meta({ id: 'AnswerChoice' })
  .describe(
    '`continue`: the step ran, continue after it; for an agent: approve, or continue with the answer; `retry`: run it (again); `decline`: the agent tries something else; `fail`: end the run as failed',
  );
export type AnswerChoice = z.infer<typeof answerChoiceSchema>;

/** Path of a step in a workflow with control flow. */
export const stepPathSchema = z
  .string()
  .max(4000)
  // Digits, ids, iterations and names only: workers send paths, and people see them.
  .regex(/^[\w/[\]]*$/, 'Use the path of a step, e.g. `orders[2]/1`')
  .describe(
    'Path of the step, e.g. `orders[2]/1`: step ids or positions from 1, iterations from 1. Missing: the number of the step, from 1',
  );

/** Number of a step for people. */
export const stepLabelSchema = z
  .string()
  .max(4000)
  .regex(/^[\w/[\]]*$/, 'Use the number of a step, e.g. `3[2]/1`')
  .describe('Number of the step for people, e.g. `3[2]/1`: positions and iterations from 1. Missing: its path');

/** Number of the question in the step. Agent questions count from 1; 1000 is the approval of the step. Missing: a question about the step itself. */
const questionNumberSchema = z.int().min(1).optional();

/** Token of the control session, if the run waits only for its end. */
const questionControlTokenSchema = controlTokenSchema.optional();

/** Maximum characters of a text answer. */
export const MAX_ANSWER_CHARS = 4000;
const answerTextSchema = z.string().min(1).max(MAX_ANSWER_CHARS).optional();

/** A question to a person, as the worker asks it. */
export const runQuestionSchema = z.object({
  step: z.int().min(0).describe('Index of the step it is about'),
  path: stepPathSchema.optional(),
  id: z.string().nullable().describe('Id of that step'),
  questionNumber: questionNumberSchema.describe(
    `Number of the question in the step. Agent questions count from 1; ${APPROVAL_QUESTION_NUMBER} is the approval of the step. Only an agent question without \`acceptsTarget\` accepts \`text\``,
  ),
  acceptsTarget: z
    .literal(true)
    .optional()
    .describe('The question asks for an element: the answer may contain its `target`'),
  controlToken: questionControlTokenSchema.describe(
    'Set if the run waits without a question, until manual control is released',
  ),
  reason: z.string().max(2000).describe('The question in a sentence'),
  choices: z
    .array(z.object({ choice: answerChoiceSchema, title: z.string().max(300).describe('Label of the button') }))
    .min(1)
    .describe('Answers that are possible'),
});
export type RunQuestion = z.infer<typeof runQuestionSchema>;

/** Key of a question, unique in its run: attempt, step, and question number or control session. Only the API creates keys. */
export const questionKey = (
  { step, questionNumber = 0, controlToken }: Pick<RunQuestion, 'step' | 'questionNumber' | 'controlToken'>,
  epoch: number,
): string => `${epoch}.${step}.${controlToken === undefined ? questionNumber : `w${controlToken}`}`;

/** Identifies a question in its answer. */
export const questionKeySchema = z.string().describe('Identifies the question: the `question` of its answer');

/** A question that waits for its answer. */
export const openQuestionSchema = runQuestionSchema
  .extend({
    key: questionKeySchema,
    askedAt: timestampSchema,
    expiresAt: timestampSchema.describe('The run fails at this time without an answer'),
  })
  .meta({ id: 'Question' });
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** The answer of a person, for the worker. Valid until the next step starts. */
export const runAnswerSchema = z.object({
  step: z.int().min(0).describe('Index of the step of the question'),
  path: stepPathSchema.optional(),
  questionNumber: questionNumberSchema.describe(
    `Number of the question in the step; ${APPROVAL_QUESTION_NUMBER} is the approval of the step. Missing: about the step`,
  ),
  acceptsTarget: z.literal(true).optional().describe('Element, if the question asks for one'),
  controlToken: questionControlTokenSchema.describe('Control session that the run waited for'),
  choice: answerChoiceSchema,
  text: answerTextSchema.describe('The answer in words'),
  target: targetSchema.optional(),
  answeredBy: z.string().describe('Name of the person or key that answered'),
});
export type RunAnswer = z.infer<typeof runAnswerSchema>;

/** Key of a question in a request. Unknown keys are rejected with 409. */
const requestedKeySchema = z.string().max(600).optional();

/** Body of `POST /v1/runs/{run}/answer`. */
export const answerRunSchema = z
  .strictObject({
    question: requestedKeySchema.describe('Key of the question (default: the open one). Returns 409 if it is not open'),
    choice: answerChoiceSchema,
    text: answerTextSchema.describe(
      'The answer in words, for an agent. It is stored in the events of the run, so do not include secrets',
    ),
    target: targetSchema
      .optional()
      .describe(
        'With `retry`: target of the step whose element was not found, from `POST /v1/runs/{run}/control/inspect`, or a `point`',
      ),
  })
  .meta({ id: 'AnswerRun' });
export type AnswerRun = z.infer<typeof answerRunSchema>;

/** Body of `POST /v1/runs/{run}/complete`. */
export const completeRunSchema = z
  .strictObject({
    question: requestedKeySchema.describe('Key of the question (default: the open one). Returns 409 if it is not open'),
  })
  .meta({ id: 'CompleteRun' });
export type CompleteRun = z.infer<typeof completeRunSchema>;
