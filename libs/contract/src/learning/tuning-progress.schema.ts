import { z } from 'zod';
import { idSchema, timestampSchema } from '../primitives.schema.ts';
import { jobStatusSchema } from '../job/job.schema.ts';

/** Limits of the stored progress of a tuning job. */
export const MAX_TUNING_MESSAGES = 500;
export const MAX_LOSS_POINTS = 1_000;
export const MAX_TUNING_STATES = 100;

const lossPointSchema = z
  .object({
    step: z.number(),
    trainingLoss: z.number().nullable(),
    validationLoss: z.number().nullable(),
  })
  .meta({ id: 'LossPoint' });
export type LossPoint = z.infer<typeof lossPointSchema>;

const tuningMessageSchema = z
  .object({
    at: timestampSchema.nullable().describe('null: not reported'),
    text: z.string(),
  })
  .meta({ id: 'TuningMessage' });
export type TuningMessage = z.infer<typeof tuningMessageSchema>;

/** Progress of a tuning job at its tuner. It is the checkpoint of the job. */
export const tuningCheckpointSchema = z.object({
  tunerJob: z.string().min(1).describe('Id of the tuning job at the tuner'),
  states: z
    .array(z.object({ state: z.string(), at: timestampSchema.describe('Time at which Pilothouse first read it') }))
    .max(MAX_TUNING_STATES)
    .default([])
    .describe('States as reported by the tuner, oldest first'),
  messages: z.array(tuningMessageSchema).max(MAX_TUNING_MESSAGES).default([]).describe('Log lines, oldest first'),
  loss: z.array(lossPointSchema).max(MAX_LOSS_POINTS).default([]).describe('Loss curve, by step'),
  trainedTokens: z.int().nullable().default(null).describe('null: not reported yet'),
  usd: z.number().nullable().default(null).describe('Cost in US dollars; null: the tokens or the price are not known'),
});
export type TuningCheckpoint = z.infer<typeof tuningCheckpointSchema>;

/** Answer of `GET /v1/tuning/jobs/{job}/events`. */
export const tuningEventsSchema = tuningCheckpointSchema
  .extend({
    job: idSchema,
    status: jobStatusSchema,
    tunerJob: z.string().nullable().describe('Id of the tuning job at the tuner; null: it was not started yet'),
  })
  .meta({ id: 'TuningEvents', description: 'States, log lines and loss curve of a tuning job' });
export type TuningEvents = z.infer<typeof tuningEventsSchema>;

/** Answer of `POST /v1/tuning/estimate`. */
export const tuningEstimateSchema = z
  .object({
    examples: z.int().nullable().describe('null: the file is in a bucket that Pilothouse does not read'),
    textTokens: z.int().nullable().describe('Tokens of the texts of one epoch: four bytes of UTF-8 count as one token'),
    images: z.int().nullable(),
    imageTokens: z
      .int()
      .nullable()
      .describe('Tokens of the images of one epoch: 516 for an image at `vertex`, 1,200 at the others'),
    epochs: z.int().describe('Requested epochs, or the usual number of the tuner'),
    isEpochsAssumed: z.boolean().describe('true: the request names no epochs, and the tuner may choose others'),
    trainedTokens: z.int().nullable().describe('Tokens of all epochs'),
    isExtrapolated: z.boolean().describe('true: only the first part of a large file was read'),
    usdPerMillionTokens: z.number().nullable().describe('Configured price; null: not known'),
    usd: z.number().nullable().describe('Estimated cost in US dollars; null: see `reason`'),
    reason: z.string().nullable().describe('Why `usd` is null'),
  })
  .meta({ id: 'TuningEstimate', description: 'Estimated tokens and cost of a tuning job, without the validation' });
export type TuningEstimate = z.infer<typeof tuningEstimateSchema>;
