import { z } from 'zod';
import { idSchema, timestampSchema } from '../primitives.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Views';

/** A saved filter of the run list. */
export const savedViewSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    search: z.string().describe('Filter of the list, as the query of its address: `status=failed&span=24h`'),
    shared: z.boolean().describe('Visible to all members of the project'),
    own: z.boolean().describe('It is yours'),
    createdBy: z.string().describe('Who kept it: address of the user, or name of the key'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof savedViewSchema>;

export const savedViewsSchema = z.object({ items: z.array(savedViewSchema) }).meta({ id: 'SavedViewList' });

/** Body of `POST /v1/saved-views`. */
export const createSavedViewSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(80).describe('As it is called; one of yours with this name is replaced'),
    search: z.string().max(2000).describe('Query of the list, without `?`'),
    shared: z.boolean().default(false).describe('Show it to all members of the project; viewers may not'),
  })
  .meta({ id: 'CreateSavedView' });
export type CreateSavedView = z.infer<typeof createSavedViewSchema>;

export const savedViewRoutes = {
  listSavedViews: defineRoute({
    method: 'GET',
    path: '/v1/saved-views',
    tag,
    summary: 'List your views of runs and those that are shared, by name',
    role: 'viewer',
    responses: { 200: { description: 'The views', schema: savedViewsSchema } },
  }),
  createSavedView: defineRoute({
    method: 'POST',
    path: '/v1/saved-views',
    tag,
    summary: 'Keep a view of runs',
    description: 'At most 100 of each member. Answers 409 beyond.',
    role: 'viewer',
    body: createSavedViewSchema,
    audit: { body: ['name', 'shared'] },
    responses: { 200: { description: 'The view', schema: savedViewSchema } },
    errors: ['CONFLICT'],
  }),
  deleteSavedView: defineRoute({
    method: 'DELETE',
    path: '/v1/saved-views/{view}',
    tag,
    summary: 'Delete a view of runs',
    description: 'One of your own; admins also one that is shared.',
    role: 'viewer',
    params: z.object({ view: idSchema.describe('Id of the view') }),
    audit: { answer: ['name'] },
    responses: { 200: { description: 'What was deleted', schema: savedViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
