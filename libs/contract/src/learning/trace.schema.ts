import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { actorSchema } from '../project/actor.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { boundsSchema } from '../observation/observation.schema.ts';
import { idSchema, jsonSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';
import { runStatusSchema } from '../run/run-status.ts';
import { turnActionKindSchema } from './turn-record.schema.ts';

/* Traces: finished runs as training material, scored step by step. */

/** Quality of a trace or of one of its steps. */
export const traceQualitySchema = z
  .enum(['good', 'bad', 'unknown'])
  .meta({ id: 'TraceQuality' })
  .describe('`good`: to be imitated; `bad`: to be avoided or corrected; `unknown`: not decided');
export type TraceQuality = z.infer<typeof traceQualitySchema>;

/** Origin of a label. */
export const traceSourceSchema = z
  .enum(['rule', 'model', 'person'])
  .meta({ id: 'TraceSource' })
  .describe(
    '`rule`: a rule without a model; `model`: a model of the role `score`; `person`: a person, whose label takes precedence',
  );
export type TraceSource = z.infer<typeof traceSourceSchema>;

/** Version of a score: that of the rules, a dot, that of the prompt. */
export const scoreVersionSchema = z
  .string()
  .regex(/^\d{1,6}\.\d{1,6}$/)
  .describe('Version of the rules and of the prompt, e.g. `1.1`');

/** Maximum length of a reason and of a corrected thought, in characters. */
export const MAX_TRACE_REASON = 2000;
export const MAX_CORRECTED_THOUGHT = 8000;

/** Maximum number of actions in a correction: those of one turn. */
export const MAX_CORRECTED_ACTIONS = 8;

/** Characters of one text that is evidence for a claim. */
export const MAX_EVIDENCE = 500;

/** One action of a correction: on the surface, or a decision of the agent. */
export const correctedActionSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('act'), action: actionSchema }),
    z.strictObject({
      kind: z.literal('done'),
      answer: jsonSchema.describe('Answer of the goal; null: none'),
      anchor: z
        .string()
        .min(1)
        .max(MAX_EVIDENCE)
        .optional()
        .describe('Part of the title or URL of the page (default: its title)'),
      indicators: z
        .array(z.string().min(1).max(MAX_EVIDENCE))
        .min(1)
        .max(10)
        .optional()
        .describe('Texts of the page that show that the goal is met (default: the values of the answer)'),
    }),
    z.strictObject({ kind: z.literal('ask'), question: z.string().min(1).max(MAX_TRACE_REASON) }),
    z.strictObject({ kind: z.literal('fail'), reason: z.string().min(1).max(MAX_TRACE_REASON) }),
  ])
  .meta({ id: 'CorrectedAction' })
  .describe('`act`: on the surface; `done`: the goal is reached; `ask`: ask a person; `fail`: it cannot be reached');
export type CorrectedAction = z.infer<typeof correctedActionSchema>;

export const correctedActionsSchema = z
  .array(correctedActionSchema)
  .min(1)
  .max(MAX_CORRECTED_ACTIONS)
  .describe('Actions that the turn should have had instead. Elements are indexes of its element list');

/** Content of a label. */
const labelFields = {
  quality: traceQualitySchema,
  reason: z.string().max(MAX_TRACE_REASON).describe('Why, in one or two sentences'),
  correctedThought: z
    .string()
    .max(MAX_CORRECTED_THOUGHT)
    .nullable()
    .describe('Thought that the turn should have had; null: no correction'),
  correctedActions: correctedActionsSchema.nullable().describe('null: no correction'),
};

/** A label of one source for one step, without its author. */
export const traceAssessmentSchema = z.object(labelFields);
export type TraceAssessment = z.infer<typeof traceAssessmentSchema>;

/** One entry of the label history of a step. */
export const traceLabelSchema = z
  .object({
    id: idSchema,
    ordinal: z.int().min(1).describe('Number of the step in the trace'),
    ...labelFields,
    source: traceSourceSchema,
    version: scoreVersionSchema.nullable().describe('Version of the score; null: label of a person'),
    createdBy: actorSchema.nullable().describe('Person or key; null: a score'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'TraceLabel', description: 'One label of a step. Labels are never changed, only added' });
export type TraceLabel = z.infer<typeof traceLabelSchema>;

/** One action of a step. */
export const traceActionSchema = z
  .object({
    kind: turnActionKindSchema,
    title: z.string(),
    action: actionSchema.nullable().describe('null: `kind` is not `act`'),
    target: boundsSchema.nullable().describe('Bounds of the target in the viewport; null: no target, or unknown'),
    error: errorViewSchema.nullable().describe('null: the action succeeded, or it did not start'),
  })
  .meta({ id: 'TraceAction' });
export type TraceAction = z.infer<typeof traceActionSchema>;

/** One turn of an agent with its score. */
export const traceStepSchema = z
  .object({
    ordinal: z.int().min(1).describe('Number of the step in the trace, in the order of time'),
    step: z.int().min(0).describe('Step of the run'),
    turn: z.int().min(0).describe('Turn of the agent in the step'),
    branch: z.string().nullable().describe('Branch of the step; null: no branch'),
    record: idSchema.describe('Artifact with the turn record'),
    screenshot: idSchema.nullable().describe('Artifact with the screenshot before the actions; null: no screenshot'),
    thought: z.string(),
    actions: z.array(traceActionSchema),
    ...labelFields,
    source: traceSourceSchema,
    version: scoreVersionSchema,
    isDoubtful: z.boolean().describe('A person should look at it. A label of a person clears it'),
    note: z.string().nullable().describe('Part of a score that was dropped, with the reason; null: no such part'),
  })
  .meta({ id: 'TraceStep', description: 'One turn of an agent. A label of a person takes precedence over scores' });
export type TraceStep = z.infer<typeof traceStepSchema>;

/** A finished run as training material. */
export const traceViewSchema = z
  .object({
    run: idSchema,
    project: idSchema,
    workflow: idSchema.nullable().describe('null: a run without a workflow'),
    workflowVersion: z.int().min(1).nullable(),
    workflowName: z.string(),
    surface: surfaceKindSchema,
    goal: z.string().describe('Goals of the run, one per line; secrets are masked'),
    model: z.string().nullable().describe('`provider/model` of most turns; null: no model was called'),
    status: runStatusSchema.describe('Status in which the run ended'),
    quality: traceQualitySchema.describe(
      '`bad`: a step is bad; `good`: all steps are good, and the run completed or persons labeled all steps',
    ),
    scoreVersion: scoreVersionSchema.nullable().describe('null: not scored yet'),
    stepCount: z.int().min(0),
    goodCount: z.int().min(0),
    badCount: z.int().min(0),
    unknownCount: z.int().min(0),
    needsReview: z.boolean().describe('A person should look at it: a step is unknown or doubtful'),
    sites: z.array(z.string()).describe('Hosts of its pages, or ids of its applications'),
    isPinned: z.boolean().describe('true: retention does not delete the turn records of the run'),
    note: z.string().nullable().describe('Why scoring is incomplete; null: it is complete, or not done yet'),
    createdAt: timestampSchema.describe('Creation of the run'),
    scoredAt: timestampSchema.nullable().describe('null: not scored yet'),
  })
  .meta({ id: 'Trace', description: 'A finished run with recorded turns, as training material' });
export type Trace = z.infer<typeof traceViewSchema>;

/** A trace with its steps and the label history of each. */
export const traceDetailSchema = traceViewSchema
  .extend({
    steps: z.array(traceStepSchema.extend({ labels: z.array(traceLabelSchema).describe('Oldest first') })),
  })
  .meta({ id: 'TraceDetail' });
export type TraceDetail = z.infer<typeof traceDetailSchema>;

/** Maximum number of runs that a filter names. */
export const MAX_FILTERED_RUNS = 200;

/** Selects traces: each field is optional, and all have to match. */
export const traceFilterSchema = z
  .strictObject({
    runs: z.array(idSchema).min(1).max(MAX_FILTERED_RUNS).optional().describe('Only traces of these runs'),
    workflow: z.union([idSchema, slugSchema]).optional().describe('Only traces of this workflow: its name or id'),
    quality: z.array(traceQualitySchema).min(1).optional().describe('Only traces of one of these qualities'),
    needsReview: z.boolean().optional().describe('Only traces that need a review, or only those that need none'),
    surface: surfaceKindSchema.optional().describe('Only traces on surfaces of this kind'),
    model: z.string().min(1).max(400).optional().describe('Only traces of this model, as `provider/model`'),
    from: z.iso.datetime({ offset: true }).optional().describe('Only runs created at this instant or later'),
    to: z.iso.datetime({ offset: true }).optional().describe('Only runs created before this instant'),
    search: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('Only traces whose goal or workflow name contains this text, or whose run id starts with it'),
  })
  .meta({ id: 'TraceFilter' });
export type TraceFilter = z.output<typeof traceFilterSchema>;
