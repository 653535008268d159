import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { expectationSchema } from '../agent/agent.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { MAX_THOUGHT } from '../events/agent.events.ts';
import { branchRefFields, stepRefFields } from '../events/run.events.ts';
import { dialectSchema, modelCallSchema, promptRefSchema, tierSchema } from '../model/model.schema.ts';
import { boundsSchema, elementSchema } from '../observation/observation.schema.ts';
import { idSchema, jsonSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';

/*
 * The record of one turn: what the agent saw, what it did, and the result. A worker stores it as an artifact of kind
 * `turn`, with the screenshot as a second artifact. Secrets are masked in all texts and pixels.
 */

const observationSchema = z.strictObject({
  url: z.string(),
  title: z.string(),
  viewport: z.strictObject({ width: z.int().min(0), height: z.int().min(0) }),
  elements: z.array(elementSchema.omit({ locators: true })).describe('Elements in view; actions use their indexes'),
  text: z.string().describe('Text of the page; empty: it was not read'),
});

const screenshotSchema = z.strictObject({
  artifact: idSchema.describe('Artifact of kind `turn` with the JPEG'),
  width: z.int().min(1).describe('Pixels of the image'),
  height: z.int().min(1).describe('Pixels of the image'),
  scale: z.number().positive().describe('Pixels of the image per pixel of the viewport'),
  hasMarks: z.boolean().describe('true: elements have numbered marks, as the model saw them'),
});

/** Kinds of planned actions: `act` is an action on the surface, the others are decisions of the agent. */
export const turnActionKindSchema = z.enum(['act', 'read', 'see', 'analyse', 'store', 'replan', 'done', 'fail', 'ask']);

const modelCallRecordSchema = modelCallSchema.omit({ signature: true });

const turnActionSchema = z.strictObject({
  sequence: z
    .int()
    .min(1)
    .nullable()
    .describe('Number of the action in the step; null: it was not executed, or is not an action on the surface'),
  kind: turnActionKindSchema,
  title: z.string(),
  action: actionSchema
    .nullable()
    .describe('The action; secrets appear as their placeholders. null: `kind` is not `act`'),
  args: z
    .record(z.string(), jsonSchema)
    .optional()
    .describe('Arguments of another kind, e.g. `claim` of `done`, `question` of `ask`'),
  target: boundsSchema.nullable().describe('Bounds of the element, or the point, in the viewport; null: no target'),
  call: modelCallRecordSchema.nullable().describe('The function call of the model; null: it called no function'),
});

const turnOutcomeSchema = z.strictObject({
  sequence: z.int().min(1).describe('Number of the action in the step'),
  error: errorViewSchema.nullable().describe('null: the action succeeded'),
  durationMs: z.int().min(0),
  urlAfter: z.string().nullable().describe('URL after the action; null: unknown'),
  titleAfter: z.string().nullable().describe('Title after the action; null: unknown'),
  hasChanged: z.boolean().nullable().describe('true: location or element list changed; null: not observed'),
});

/** Origin of a turn's actions: a model, actions of an earlier run, or a person in control. */
export const turnSourceSchema = z.enum(['model', 'cache', 'person']);

/** Record of one turn: the JSON of an artifact of kind `turn`. */
export const turnRecordSchema = z.strictObject({
  version: z.literal(1),
  run: idSchema,
  attempt: z.int().min(1).describe('Number of the attempt'),
  ...stepRefFields,
  branch: branchRefFields.branch.optional(),
  branchPath: branchRefFields.branchPath,
  turn: z.int().min(0).describe('Turn of the agent in the step; 0: before its first turn, or a step without an agent'),
  order: z.int().min(1).describe('Position of the record among the records of the attempt, by time'),
  at: timestampSchema.describe('Time of the observation'),
  surface: surfaceKindSchema,
  goal: z.string().describe('Goal of the agent, or the title of a step without an agent'),
  input: z
    .strictObject({ system: z.string(), text: z.string() })
    .nullable()
    .describe('Text that the model received, without images; null: no model was called'),
  prompt: promptRefSchema.nullable().describe('null: no model was called'),
  tier: tierSchema.exclude(['replan']),
  source: turnSourceSchema,
  model: z.string().nullable().describe('`provider/model`; null: no model was called'),
  dialect: dialectSchema.optional().describe('Format in which the model wrote its actions'),
  operator: z.string().optional().describe('With source `person`: the person in control'),
  observation: observationSchema.describe('The page before the first action'),
  screenshot: screenshotSchema.nullable().describe('The page before the first action, with secrets covered'),
  thought: z.string().max(MAX_THOUGHT),
  expects: expectationSchema.optional(),
  answer: z
    .strictObject({ text: z.string(), calls: z.array(modelCallRecordSchema) })
    .nullable()
    .describe('Answer of the model as it was written, with secrets masked; null: no model was called'),
  actions: z.array(turnActionSchema).describe('Planned actions, in order'),
  outcomes: z.array(turnOutcomeSchema).describe('Outcomes of the executed actions, by `sequence`'),
  verification: z.strictObject({
    result: z
      .enum(['verified', 'unverified', 'failed', 'none'])
      .describe(
        '`verified`: the expectation was met; `unverified`: it was not met; `failed`: an action failed; `none`: not checked',
      ),
    note: z.string(),
  }),
});
export type TurnRecord = z.infer<typeof turnRecordSchema>;
export type TurnAction = TurnRecord['actions'][number];
export type TurnOutcome = TurnRecord['outcomes'][number];
