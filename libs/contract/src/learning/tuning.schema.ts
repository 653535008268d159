import { z } from 'zod';
import { endpointNameSchema } from '../model/model-settings.schema.ts';
import { dialectSchema, modelRoleSchema } from '../model/model.schema.ts';
import { idSchema, slugSchema, surfaceKindSchema } from '../primitives.schema.ts';

/** API of a service that tunes models. */
export const tunerKindSchema = z
  .enum(['vertex', 'openai', 'together', 'fireworks', 'kubernetes'])
  .describe(
    '`vertex`: Vertex AI; `openai`: the fine-tuning API of OpenAI, as Azure and others offer it; `together`: Together; `fireworks`: Fireworks; `kubernetes`: a trainer of the installation',
  );
export type TunerKind = z.infer<typeof tunerKindSchema>;
export const tunerKinds = tunerKindSchema.options;

/** Hyperparameters that the API of a tuner has. */
const tunerHyperparameters: Readonly<Record<TunerKind, readonly string[]>> = {
  vertex: ['epochs', 'learningRateMultiplier', 'adapterSize', 'beta'],
  openai: ['epochs', 'learningRateMultiplier', 'beta'],
  together: ['epochs', 'learningRate', 'adapterSize', 'beta'],
  fireworks: ['epochs', 'learningRate', 'adapterSize'],
  kubernetes: ['epochs', 'learningRate', 'adapterSize', 'beta'],
};

/** Names of base models for `kubernetes`. They become arguments of programs, so they contain no special characters. */
const TRAINER_BASE_MODEL = /^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/;

const fileSchema = z
  .union([
    z.strictObject({ upload: idSchema.describe('Upload with the examples, as JSON lines') }),
    z.strictObject({
      export: idSchema.describe('Export of a dataset: its file `train.jsonl`, and `validation.jsonl` for `validation`'),
    }),
    z.strictObject({
      uri: z
        .string()
        .regex(/^(?:gs|s3):\/\/[a-z0-9][a-z0-9._-]{1,220}\/\S{1,1000}$/, 'Use an address like gs://bucket/train.jsonl')
        .describe(
          'File in a bucket that the tuner reads. `vertex`: `gs://`; `kubernetes`: `gs://` or `s3://`. It is a file of an export of the project, or in a folder that the operator allows',
        ),
    }),
  ])
  .describe('Training examples in the format of the tuner');
export type TuningSource = z.infer<typeof fileSchema>;

/** Files of an export of a dataset that a tuning job uses. */
export const tuningFileNames = { training: 'train.jsonl', validation: 'validation.jsonl' } as const;

/** Reason why a tuner cannot read a file; null: it can. */
function sourceProblem(tuner: TunerKind, source: TuningSource): string | null {
  const scheme = 'uri' in source ? source.uri.slice(0, 5) : null;
  if (tuner === 'vertex')
    return scheme === 's3://' || 'upload' in source
      ? '`vertex` reads from Cloud Storage. Use a `uri` with gs://, or the `export` of a GCS destination.'
      : null;
  return tuner === 'kubernetes' || scheme === null
    ? null
    : 'Only `vertex` and `kubernetes` read from a bucket. Use `upload` or `export`.';
}

/** Body of `POST /v1/tuning/jobs`. */
export const startTuningSchema = z
  .strictObject({
    name: slugSchema.describe('Name of the tuned model in the registry'),
    tuner: tunerKindSchema,
    endpoint: endpointNameSchema.describe(
      'Model endpoint of the installation that belongs to the tuner. `kubernetes`: the endpoint that serves the tuned model',
    ),
    trainer: slugSchema.optional().describe('With `kubernetes`: trainer of the installation'),
    baseModel: z.string().min(1).max(200).describe('Name of the base model at the tuner'),
    method: z.enum(['supervised', 'preference']).default('supervised'),
    training: fileSchema,
    validation: fileSchema.optional(),
    hyperparameters: z
      .strictObject({
        epochs: z.int().min(1).max(100).optional(),
        learningRate: z.number().positive().max(1).optional(),
        learningRateMultiplier: z.number().positive().max(1000).optional(),
        adapterSize: z.int().min(1).max(1024).optional().describe('Rank of the adapter (LoRA)'),
        beta: z.number().positive().max(10).optional().describe('With `preference`: strength of the preference'),
      })
      .default({})
      .describe('Missing values are chosen by the tuner'),
    role: modelRoleSchema
      .optional()
      .describe('Role of the tuned model in the registry (default: all roles except `score` and `synthesize`)'),
    surface: surfaceKindSchema.optional().describe('Surface of the tuned model (default: all surfaces)'),
    dialect: dialectSchema.optional().describe('Text format of actions that the examples teach'),
  })
  .superRefine(({ tuner, trainer, baseModel, method, training, validation, hyperparameters }, context) => {
    if ((trainer === undefined) === (tuner === 'kubernetes'))
      context.addIssue({
        code: 'custom',
        path: ['trainer'],
        message:
          trainer === undefined
            ? 'Name the trainer of the installation'
            : 'Only `kubernetes` has trainers. Leave it out',
      });
    if (tuner === 'kubernetes' && !TRAINER_BASE_MODEL.test(baseModel))
      context.addIssue({
        code: 'custom',
        path: ['baseModel'],
        message: 'Use letters, digits and `._/:@-`, e.g. Qwen/Qwen3-VL-8B-Instruct',
      });
    const supported = tunerHyperparameters[tuner];
    for (const [name, value] of Object.entries(hyperparameters)) {
      if (value === undefined) continue;
      const path = ['hyperparameters', name];
      if (!supported.includes(name))
        context.addIssue({
          code: 'custom',
          path,
          message: `\`${tuner}\` has no \`${name}\`. Use ${supported.map((parameter) => `\`${parameter}\``).join(', ')}`,
        });
      else if (name === 'beta' && method !== 'preference')
        context.addIssue({ code: 'custom', path, message: '`beta` requires the method `preference`' });
    }
    for (const [field, source] of Object.entries({ training, validation })) {
      if (!source) continue;
      const message = sourceProblem(tuner, source);
      if (message !== null) context.addIssue({ code: 'custom', path: [field], message });
    }
  })
  .meta({ id: 'StartTuning' });
export type StartTuning = z.infer<typeof startTuningSchema>;
