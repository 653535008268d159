import { z } from 'zod';
import { endpointNameSchema, modelNameSchema, modelProtocolSchema } from '../model/settings.ts';
import { defineRoute } from './route.ts';

/** Where models can be asked, as whoever chooses them has to know. */
export const modelsViewSchema = z
  .object({
    endpoints: z
      .array(z.object({ name: endpointNameSchema, protocol: modelProtocolSchema }))
      .describe('Endpoints of the installation; a model at one is `name/model`'),
    use: z.array(modelNameSchema).describe('What is asked where a project says nothing, in order'),
  })
  .meta({ id: 'Models' });
export type ModelsView = z.infer<typeof modelsViewSchema>;

export const modelRoutes = {
  readModels: defineRoute({
    method: 'GET',
    path: '/v1/models',
    tag: 'Project',
    summary: 'Say where models can be asked, and which are asked where a project says nothing',
    description: 'Neither addresses nor keys are said. Which models an endpoint has its provider knows.',
    role: 'viewer',
    responses: { 200: { description: 'The endpoints', schema: modelsViewSchema } },
  }),
} as const;
