import { z } from 'zod';
import { registerModelSchema, registeredModelSchema, registryStageSchema } from '../learning/registry.schema.ts';
import { slugSchema } from '../primitives.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Model registry';
const params = z.object({ model: slugSchema.describe('Name in the registry') });
const model = { 200: { description: 'The model', schema: registeredModelSchema } };
const reason = z.string().min(1).max(1000).optional().describe('Reason, for the history');

/** Body of `POST /v1/registry/models/{model}/canary`. */
export const startCanarySchema = z
  .strictObject({ percent: z.int().min(1).max(99).describe('Share of the runs in percent'), reason })
  .meta({ id: 'StartCanary' });

/** Body of `POST /v1/registry/models/{model}/shadow`. */
export const startShadowSchema = z
  .strictObject({ percent: z.int().min(1).max(100).describe('Share of the calls in percent'), reason })
  .meta({ id: 'StartShadow' });

/** Body of the other stage changes. */
export const changeStageSchema = z.strictObject({ reason }).default({}).meta({ id: 'ChangeStage' });

export const registryRoutes = {
  listRegisteredModels: defineRoute({
    method: 'GET',
    path: '/v1/registry/models',
    tag,
    summary: 'List registered models by name',
    description:
      'Runs use registered models in the stages `canary` and `active` instead of the models of the project. An entry for a role or surface precedes one for all.',
    role: 'viewer',
    query: z.object({ ...pageQuery, stage: registryStageSchema.optional().describe('Only models in this stage') }),
    responses: {
      200: { description: 'A page of models', schema: pageOf(registeredModelSchema, 'RegisteredModelPage') },
    },
  }),
  readRegisteredModel: defineRoute({
    method: 'GET',
    path: '/v1/registry/models/{model}',
    tag,
    summary: 'Read a registered model',
    role: 'viewer',
    params,
    responses: model,
    errors: ['NOT_FOUND'],
  }),
  registerModel: defineRoute({
    method: 'POST',
    path: '/v1/registry/models',
    tag,
    summary: 'Register a model',
    description: 'The model is not used until its canary starts or it is promoted.',
    role: 'admin',
    body: registerModelSchema,
    audit: { body: ['name', 'model', 'base', 'role', 'surface'] },
    responses: { 201: { description: 'The model', schema: registeredModelSchema } },
    errors: ['CONFLICT'],
  }),
  startShadow: defineRoute({
    method: 'POST',
    path: '/v1/registry/models/{model}/shadow',
    tag,
    summary: 'Send a share of the model calls also to a model',
    description:
      'After a run has its response, the model receives the same request. Its action is compared with that of the response and recorded. The run does not wait, and its responses, events and usage stay the same. The calls count for the monthly budget of the project.',
    role: 'admin',
    params,
    body: startShadowSchema,
    audit: { body: ['percent', 'reason'] },
    responses: model,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  startCanary: defineRoute({
    method: 'POST',
    path: '/v1/registry/models/{model}/canary',
    tag,
    summary: 'Use a model for a share of the runs',
    description:
      'The id of a run decides whether it uses the model, so a run never changes its model. The model is rolled back when the success of its last 20 runs falls below the 95 % interval of the runs without it.',
    role: 'admin',
    params,
    body: startCanarySchema,
    audit: { body: ['percent', 'reason'] },
    responses: model,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  promoteModel: defineRoute({
    method: 'POST',
    path: '/v1/registry/models/{model}/promote',
    tag,
    summary: 'Use a model for all runs',
    description:
      'Retires the active model of the same role and surface. The model is still rolled back if its last 20 runs fail too often.',
    role: 'admin',
    params,
    body: changeStageSchema,
    audit: { body: ['reason'] },
    responses: model,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  rollBackModel: defineRoute({
    method: 'POST',
    path: '/v1/registry/models/{model}/roll-back',
    tag,
    summary: 'Stop using a model',
    description: 'The next model call uses the models of the project again.',
    role: 'admin',
    params,
    body: changeStageSchema,
    audit: { body: ['reason'] },
    responses: model,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  deleteRegisteredModel: defineRoute({
    method: 'DELETE',
    path: '/v1/registry/models/{model}',
    tag,
    summary: 'Delete a registered model',
    description: 'Only a model that no run uses. Roll it back first.',
    role: 'admin',
    params,
    responses: { 200: { description: 'The deleted model', schema: registeredModelSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
