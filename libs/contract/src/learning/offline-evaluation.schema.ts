import { z } from 'zod';
import { modelNameSchema } from '../model/model-settings.schema.ts';
import { idSchema, slugSchema } from '../primitives.schema.ts';
import { datasetSplitSchema } from './dataset-example.schema.ts';

/* Offline evaluation: a model gets recorded requests, and its actions are compared with the expected ones. No run is started. */

/** Maximum examples of one evaluation. */
export const MAX_EVALUATED_EXAMPLES = 10_000;

/** Name in the registry, or `endpoint/model`. */
const evaluatedModelSchema = z.union([slugSchema, modelNameSchema], {
  error: 'Use the name of a registered model, or endpoint/model, e.g. `gemini/gemini-2.5-flash`',
});

/** Body of `POST /v1/learning/evaluations`. */
export const startEvaluationSchema = z
  .strictObject({
    model: evaluatedModelSchema.describe('Name in the registry, or `endpoint/model`'),
    dataset: idSchema.describe('Dataset with the recorded turns'),
    split: datasetSplitSchema
      .default('test')
      .describe('Split of the dataset. A model that was tuned with the dataset has seen `train`'),
    limit: z
      .int()
      .min(1)
      .max(MAX_EVALUATED_EXAMPLES)
      .default(1000)
      .describe('Maximum number of examples, from the first'),
    budgetUsd: z.number().min(0).max(1_000_000).optional().describe('Limit for model calls in US dollars'),
  })
  .meta({ id: 'StartEvaluation' });
export type StartEvaluation = z.output<typeof startEvaluationSchema>;

const count = z.int().min(0);
const share = z.number().min(0).max(1);

/** Share of examples with a property, with its 95 % interval by Wilson. */
const rateSchema = z
  .object({
    successes: count,
    trials: count,
    low: share.describe('Lower bound of the 95 % interval'),
    high: share.describe('Upper bound of the 95 % interval'),
  })
  .meta({ id: 'EvaluationRate' });
export type EvaluationRate = z.infer<typeof rateSchema>;

/** Examples with the same problem. */
const problemSchema = z
  .object({
    reason: z.string(),
    count,
    examples: z.array(z.string()).describe('Up to 20 examples as `run/ordinal`'),
  })
  .meta({ id: 'EvaluationProblem' });
export type EvaluationProblem = z.infer<typeof problemSchema>;

/** Result of a job of kind `evaluate`, and metric `offline:<dataset>@<version>` of the registry. */
export const evaluationResultSchema = z
  .object({
    model: modelNameSchema,
    dataset: z.string().describe('Dataset and version, as `name@version`'),
    split: datasetSplitSchema,
    job: idSchema.describe('Job that measured it'),
    actionMatchRate: rateSchema.describe('The first action has the kind, target and arguments of the expected action'),
    kindMatchRate: rateSchema.describe('The first action has the kind of the expected action'),
    targetMatchRate: rateSchema.describe('Examples whose target matches, of those that expect a target'),
    textMatchRate: rateSchema.describe(
      'Examples whose text, key, URL or other arguments match, of those that expect arguments',
    ),
    grounding: z
      .object({
        count: count.describe('Examples for which a distance was measured'),
        medianPixels: z.number().min(0),
        medianShare: z.number().min(0).describe('Share of the diagonal of the viewport'),
        p90Pixels: z.number().min(0),
        p90Share: z.number().min(0),
      })
      .nullable()
      .describe('Distance between the point of the response and the center of the target; null: not measured'),
    tokens: z.object({ input: count, output: count, cached: count }),
    usd: z.number().min(0).nullable().describe('Cost of all responses in US dollars; null: not known'),
    latencyMs: z.object({ median: count, p90: count }).nullable().describe('Time until a response; null: no response'),
    errors: z.array(problemSchema).describe('Examples without a usable response. They count as not matching'),
    skipped: z.array(problemSchema).describe('Skipped examples, e.g. without an expected action'),
  })
  .meta({ id: 'EvaluationResult', description: 'Comparison of the actions of a model with the expected actions' });
export type EvaluationResult = z.infer<typeof evaluationResultSchema>;

/** State of an evaluation: the checkpoint of its job. */
export const evaluationStateSchema = z.object({
  nextIndex: count.describe('Index of the first unfinished example'),
  finishedIndexes: z.array(count).describe('Indexes of finished examples after `nextIndex`'),
  evaluatedCount: count.describe('Examples that were sent to the model'),
  actionMatchCount: count,
  kindMatchCount: count,
  targetMatches: z.object({ successes: count, trials: count }),
  textMatches: z.object({ successes: count, trials: count }),
  distancesPixels: z.array(z.number()),
  distanceShares: z.array(z.number()).describe('Distances as shares of the diagonal of the viewport'),
  latenciesMs: z.array(z.number()),
  tokens: z.object({ input: count, output: count, cached: count }),
  usd: z.number().nullable(),
  errors: z.array(problemSchema),
  skipped: z.array(problemSchema),
});
export type EvaluationState = z.infer<typeof evaluationStateSchema>;
