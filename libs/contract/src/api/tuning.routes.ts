import { z } from 'zod';
import { jobRoles } from '../job/job-rules.ts';
import { jobSchema } from '../job/job.schema.ts';
import { tuningEstimateSchema, tuningEventsSchema } from '../learning/tuning-progress.schema.ts';
import { startTuningSchema } from '../learning/tuning.schema.ts';
import { idSchema } from '../primitives.schema.ts';
import { defineRoute } from './route-definition.ts';

export const tuningRoutes = {
  startTuning: defineRoute({
    method: 'POST',
    path: '/v1/tuning/jobs',
    tag: 'Tuning',
    summary: 'Tune a model',
    description:
      'Starts a job of the job runner. It uploads the examples, follows the job of the tuner, and registers the tuned model. No run uses the model until its canary starts. The tuner charges its own price.',
    role: jobRoles.tune,
    body: startTuningSchema,
    audit: { body: ['name', 'tuner', 'endpoint', 'baseModel', 'method'] },
    responses: { 202: { description: 'The job', schema: jobSchema } },
    errors: ['CONFLICT'],
  }),
  estimateTuning: defineRoute({
    method: 'POST',
    path: '/v1/tuning/estimate',
    tag: 'Tuning',
    summary: 'Estimate the price of a tuning job',
    description:
      'Counts the tokens of the training file by a fixed rule. The price is `trainingUsdPerMillionTokens` of the base model in PILOTHOUSE_MODEL_OVERRIDES. Nothing is started.',
    role: 'admin',
    body: startTuningSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The estimate', schema: tuningEstimateSchema } },
  }),
  readTuningEvents: defineRoute({
    method: 'GET',
    path: '/v1/tuning/jobs/{job}/events',
    tag: 'Tuning',
    summary: 'Read the states, log lines and loss curve of a tuning job',
    role: 'viewer',
    params: z.object({ job: idSchema.describe('Id of the job') }),
    responses: { 200: { description: 'The events', schema: tuningEventsSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
