import { z } from 'zod';
import { slugSchema } from '../primitives.schema.ts';

/** Prefix of the environment variables that the job runner sets in the containers of a trainer. */
const VARIABLE_PREFIX = 'PILOTHOUSE_';

const metadataSchema = z.looseObject({
  name: z.undefined({ error: 'leave it out: the job runner names the object' }),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

const variablesSchema = z.array(
  z.looseObject({
    name: z.string({ error: 'set it to the name of a variable' }).refine((name) => !name.startsWith(VARIABLE_PREFIX), {
      error: `use a name without the prefix ${VARIABLE_PREFIX}: the job runner sets these variables`,
    }),
  }),
);

const containersSchema = z.array(
  z.looseObject({
    name: z.string({ error: 'set it to the name of the container' }),
    image: z.string({ error: 'set it to an image' }),
    env: variablesSchema.optional(),
    securityContext: z.looseObject({}).optional(),
  }),
  { error: 'set it to a list of containers' },
);

const podTemplateSchema = z.looseObject(
  {
    metadata: metadataSchema.optional(),
    spec: z.looseObject(
      {
        containers: containersSchema.min(1, { error: 'add a container' }),
        initContainers: containersSchema.optional(),
        securityContext: z.looseObject({}).optional(),
      },
      { error: 'set it to the spec of a pod' },
    ),
  },
  { error: 'set it to the template of a pod' },
);

const jobTemplateSchema = z.strictObject({
  apiVersion: z.literal('batch/v1').optional(),
  kind: z.literal('Job').optional(),
  metadata: metadataSchema.optional(),
  spec: z.looseObject({ template: podTemplateSchema }, { error: 'set it to the spec of a Job' }),
});

const trainJobTemplateSchema = z.strictObject({
  apiVersion: z.literal('trainer.kubeflow.org/v1alpha1').optional(),
  kind: z.literal('TrainJob').optional(),
  metadata: metadataSchema.optional(),
  spec: z.looseObject(
    {
      runtimeRef: z.looseObject({ name: z.string() }, { error: 'set it to the training runtime, e.g. {name: torch}' }),
      trainer: z.looseObject({ env: variablesSchema.optional() }).optional(),
    },
    { error: 'set it to the spec of a TrainJob' },
  ),
});

/** A trainer of the operator: objects in Kubernetes that the job runner creates from a template. */
export const trainerSchema = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ name: slugSchema, kind: z.literal('Job'), template: jobTemplateSchema }),
    z.strictObject({ name: slugSchema, kind: z.literal('TrainJob'), template: trainJobTemplateSchema }),
  ],
  { error: 'set it to Job or TrainJob' },
);
export type Trainer = z.infer<typeof trainerSchema>;
export type TrainerKind = Trainer['kind'];

export const trainersSchema = z
  .array(trainerSchema, { error: 'set it to a JSON list of trainers' })
  .max(50)
  .refine((trainers) => new Set(trainers.map(({ name }) => name)).size === trainers.length, {
    error: 'give each trainer a different name',
  });

/** Maximum size of a trainer's result, in bytes. */
export const MAX_TRAINER_RESULT_BYTES = 64 * 1024;

/** JSON document that a trainer uploads to `PILOTHOUSE_RESULT_URL`. */
export const trainerResultSchema = z.object({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the tuned model at the endpoint (default: the name in the registry)'),
  trainedTokens: z.int().min(0).optional(),
});
export type TrainerResult = z.infer<typeof trainerResultSchema>;

/** Line of a trainer's log that is a point of the loss curve. */
export const trainerMetricSchema = z.object({
  step: z.int().min(0),
  steps: z.int().min(1).optional().describe('Number of all steps'),
  loss: z.number().optional(),
  validation_loss: z.number().optional(),
});
