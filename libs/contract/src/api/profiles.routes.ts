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
    summary: 'List the profiles of the project, by name',
    description:
      'A profile is cookies and storage that runs begin with (`browser.profile`). No value is ever answered.',
    role: 'viewer',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of profiles', schema: pageOf(profileViewSchema, 'ProfilePage') } },
  }),
  importProfile: defineRoute({
    method: 'PUT',
    path: '/v1/profiles/{profile}',
    tag,
    summary: 'Import a profile, in place of the one of this name',
    description:
      'The body is a `storageState` of Playwright, e.g. of `npx playwright codegen --save-storage=FILE`. Of it cookies, local storage and IndexedDB are kept; passkeys are not.',
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
    description: 'Runs that begin from now on find none; those at work keep what they began with.',
    role: 'operator',
    params,
    responses: { 200: { description: 'What was deleted', schema: profileViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
