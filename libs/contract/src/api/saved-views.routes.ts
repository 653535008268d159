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
    own: z.boolean().describe('true: it is your view'),
    createdBy: z.string().describe('Email of the user or name of the key that saved it'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof savedViewSchema>;

export const savedViewsSchema = z.object({ items: z.array(savedViewSchema) }).meta({ id: 'SavedViewList' });

/** Body of `POST /v1/saved-views`. */
export const createSavedViewSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(80).describe('Name. Replaces your view of this name'),
    search: z.string().max(2000).describe('Query of the list, without `?`'),
    shared: z.boolean().default(false).describe('Share the view with all members of the project. Not for viewers'),
  })
  .meta({ id: 'CreateSavedView' });
export type CreateSavedView = z.infer<typeof createSavedViewSchema>;

export const savedViewRoutes = {
  listSavedViews: defineRoute({
    method: 'GET',
    path: '/v1/saved-views',
    tag,
    summary: 'List saved views by name',
    role: 'viewer',
    responses: { 200: { description: 'The views', schema: savedViewsSchema } },
  }),
  createSavedView: defineRoute({
    method: 'POST',
    path: '/v1/saved-views',
    tag,
    summary: 'Save a view',
    description: 'Each member can save 100 views. Another one returns 409.',
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
    summary: 'Delete a saved view',
    description: 'Your own views. Admins can also delete shared views.',
    role: 'viewer',
    params: z.object({ view: idSchema.describe('Id of the view') }),
    audit: { answer: ['name'] },
    responses: { 200: { description: 'The deleted item', schema: savedViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
