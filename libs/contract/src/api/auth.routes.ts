import { z } from 'zod';
import { localPathSchema } from '../project/local-path.ts';
import { changePasswordSchema } from '../project/member.schema.ts';
import {
  initialSetupSchema,
  sessionViewSchema,
  setupStatusSchema,
  signInSchema,
  userSchema,
} from '../project/user.schema.ts';
import { defineRoute } from './route-definition.ts';
import { apiKeyCreatedSchema, apiKeyViewSchema, createApiKeySchema, roleSchema } from '../project/api-key.schema.ts';
import { idSchema, slugSchema } from '../primitives.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';

const USERS_TAG = 'Users';

/** Response that sets the session cookie. */
export const sessionCreatedResponse = (description: string) =>
  ({
    description,
    schema: sessionViewSchema,
    headers: { 'Set-Cookie': 'The session, for this host and not for scripts' },
  }) as const;

export const sessionRoutes = {
  signIn: defineRoute({
    method: 'POST',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Sign in',
    description:
      'Takes e-mail and password, and sets the cookie of a session. The answer is the same for a wrong password and an unknown address, ' +
      'and both take the same time; too many attempts are refused for a while.',
    role: 'public',
    body: signInSchema,
    responses: { 200: sessionCreatedResponse('The user is signed in') },
    errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
  readSession: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Read who is signed in',
    role: 'user',
    responses: { 200: { description: 'The user, and which projects are open to them', schema: sessionViewSchema } },
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Sign out',
    role: 'user',
    responses: {
      204: { description: 'The session has ended', headers: { 'Set-Cookie': 'Takes the cookie away' } },
    },
    errors: ['FORBIDDEN'],
  }),
  startOidc: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current/oidc',
    tag: USERS_TAG,
    summary: 'Sign in elsewhere: go to the OpenID Connect provider',
    description: 'For browsers. What has to be kept until they are back is sealed into a cookie.',
    role: 'public',
    query: z.object({
      next: localPathSchema.default('/').describe('Path of the console to go to once signed in'),
    }),
    responses: {
      302: {
        description: 'To the provider',
        headers: { Location: 'Where the user signs in', 'Set-Cookie': 'What was begun, for ten minutes' },
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  finishOidc: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current/oidc/callback',
    tag: USERS_TAG,
    summary: 'Come back from the OpenID Connect provider',
    description:
      'For browsers. A rejected user is redirected to `/sign-in?error=` with the reason: `failed` (the provider did not confirm who it is, or the ' +
      'answer is not to what this browser began), `unverified` (it does not say that the e-mail address is theirs), `domain` (an address of another ' +
      'domain), `uninvited` (no project is open to them).',
    role: 'public',
    audit: {},
    responses: {
      302: {
        description: 'To the console',
        headers: { Location: 'A page of the console', 'Set-Cookie': 'The session' },
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  changePassword: defineRoute({
    method: 'PUT',
    path: '/v1/sessions/current/password',
    tag: USERS_TAG,
    summary: 'Change the password of who is signed in',
    description: 'Every other session of the user ends.',
    role: 'user',
    body: changePasswordSchema,
    responses: { 204: { description: 'The password is changed' } },
    errors: ['FORBIDDEN', 'RATE_LIMITED'],
  }),
  readSetup: defineRoute({
    method: 'GET',
    path: '/v1/setup',
    tag: USERS_TAG,
    summary: 'Whether the first user has to be made, and how the others sign in',
    role: 'public',
    responses: { 200: { description: 'Whether and how', schema: setupStatusSchema } },
    errors: ['UNAVAILABLE'],
  }),
  setUp: defineRoute({
    method: 'POST',
    path: '/v1/setup',
    tag: USERS_TAG,
    summary: 'Make the first user',
    description:
      'The user becomes admin of every project there is. Works only as long as there is no user, with the set-up code that the log of the API shows ' +
      'or with an API key of the first project with the role `admin`, so that no stranger is faster.',
    role: 'public',
    body: initialSetupSchema,
    responses: { 201: sessionCreatedResponse('The user is there and signed in') },
    errors: ['FORBIDDEN', 'CONFLICT', 'UNAVAILABLE'],
  }),
} as const;

const API_KEYS_TAG = 'API keys';

/** The API key or user of the request. */
export const currentPrincipalSchema = z
  .object({
    key: apiKeyViewSchema.nullable().describe('The API key; null for a user who is signed in'),
    user: userSchema.nullable().default(null).describe('The user who is signed in; null for an API key'),
    role: roleSchema,
    project: z.object({ id: idSchema, slug: slugSchema, name: z.string() }),
  })
  .meta({ id: 'CurrentPrincipal' });
export type CurrentPrincipal = z.infer<typeof currentPrincipalSchema>;

export const keyRoutes = {
  createApiKey: defineRoute({
    method: 'POST',
    path: '/v1/api-keys',
    tag: API_KEYS_TAG,
    summary: 'Make an API key',
    description: 'The key is in this answer and never again; what is stored is its hash.',
    role: 'admin',
    body: createApiKeySchema,
    audit: { body: ['name', 'role', 'expiresIn'] },
    responses: { 201: { description: 'The key', schema: apiKeyCreatedSchema } },
  }),
  listApiKeys: defineRoute({
    method: 'GET',
    path: '/v1/api-keys',
    tag: API_KEYS_TAG,
    summary: 'List the API keys of the project, the newest first',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of keys', schema: pageOf(apiKeyViewSchema, 'ApiKeyPage') } },
  }),
  revokeApiKey: defineRoute({
    method: 'DELETE',
    path: '/v1/api-keys/{key}',
    tag: API_KEYS_TAG,
    summary: 'Revoke an API key',
    description: 'From now on it opens nothing. A key that was revoked before stays so.',
    role: 'admin',
    params: z.object({ key: idSchema.describe('Id of the key') }),
    audit: { answer: ['name', 'role'] },
    responses: { 200: { description: 'The key, revoked', schema: apiKeyViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  readMe: defineRoute({
    method: 'GET',
    path: '/v1/me',
    tag: API_KEYS_TAG,
    summary: 'Read who the key or the session says you are',
    role: 'viewer',
    responses: { 200: { description: 'Key or user, role and project', schema: currentPrincipalSchema } },
  }),
} as const;
