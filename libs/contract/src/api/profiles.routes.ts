import { z } from 'zod';
import { profileNameSchema, profileViewSchema, storageStateSchema } from '../project/profile.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Profiles';
const params = z.object({ profile: profileNameSchema.describe('Name of the profile') });

export const profileRoutes = {
  listProfiles: defineRoute({
    method: 'GET',
    path: '/v1/profiles',
    tag,
    summary: 'List profiles by name',
    description:
      'A profile has the cookies and storage that runs start with (`browser.profile`). Values are never returned.',
    role: 'viewer',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of profiles', schema: pageOf(profileViewSchema, 'ProfilePage') } },
  }),
  importProfile: defineRoute({
    method: 'PUT',
    path: '/v1/profiles/{profile}',
    tag,
    summary: 'Import a profile',
    description:
      'Takes a Playwright `storageState`, e.g. of `npx playwright codegen --save-storage=FILE`. Replaces the profile of this name. Stores cookies, local storage, session storage and IndexedDB, but no passkeys.',
    role: 'operator',
    params,
    body: storageStateSchema,
    anyText: [''],
    responses: { 200: { description: 'The profile', schema: profileViewSchema } },
    errors: ['PAYLOAD_TOO_LARGE'],
  }),
  deleteProfile: defineRoute({
    method: 'DELETE',
    path: '/v1/profiles/{profile}',
    tag,
    summary: 'Delete a profile',
    description: 'New runs no longer find it. Running runs keep their copy.',
    role: 'operator',
    params,
    responses: { 200: { description: 'The deleted item', schema: profileViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
