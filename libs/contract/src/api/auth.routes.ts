import { z } from 'zod';
import { localPathSchema } from '../project/local-path.ts';
import { changePasswordSchema } from '../project/member.schema.ts';
import {
  accountSchema,
  endedSessionsSchema,
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
    headers: { 'Set-Cookie': 'Session cookie, `HttpOnly` and for this host only' },
  }) as const;

export const sessionRoutes = {
  signIn: defineRoute({
    method: 'POST',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Sign in',
    description:
      'Takes email and password, and sets a session cookie. A wrong password and an unknown address return the same error after the same time. Returns 429 after 10 attempts in 15 minutes for an account from one address, 100 for an account, or 50 from an address.',
    role: 'public',
    body: signInSchema,
    responses: { 200: sessionCreatedResponse('The user is signed in') },
    errors: ['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
  readSession: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Read the session',
    role: 'user',
    responses: { 200: { description: 'The user and their projects', schema: sessionViewSchema } },
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/v1/sessions/current',
    tag: USERS_TAG,
    summary: 'Sign out',
    role: 'user',
    responses: {
      204: { description: 'The session has ended', headers: { 'Set-Cookie': 'Deletes the cookie' } },
    },
    errors: ['FORBIDDEN'],
  }),
  startOidc: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current/oidc',
    tag: USERS_TAG,
    summary: 'Start single sign-on',
    description:
      'For browsers. Redirects to the OpenID Connect provider. The state of the sign-in is in an encrypted cookie.',
    role: 'public',
    query: z.object({
      next: localPathSchema.default('/').describe('Path of the console to open after the sign-in'),
    }),
    responses: {
      302: {
        description: 'Redirect to the provider',
        headers: {
          Location: 'Sign-in page of the provider',
          'Set-Cookie': 'State of the sign-in, valid for ten minutes',
        },
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  finishOidc: defineRoute({
    method: 'GET',
    path: '/v1/sessions/current/oidc/callback',
    tag: USERS_TAG,
    summary: 'Finish single sign-on',
    description:
      'For browsers. A rejected user is redirected to `/sign-in?error=` with the reason: `failed` (no valid response of the provider), `unverified` (email address not verified), `domain` (email domain not allowed), `uninvited` (no project).',
    role: 'public',
    audit: {},
    responses: {
      302: {
        description: 'Redirect to the console',
        headers: { Location: 'Page of the console', 'Set-Cookie': 'Session cookie' },
      },
    },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  changePassword: defineRoute({
    method: 'PUT',
    path: '/v1/sessions/current/password',
    tag: USERS_TAG,
    summary: 'Change your password',
    description: 'Ends all other sessions of the user.',
    role: 'user',
    body: changePasswordSchema,
    responses: { 204: { description: 'The password was changed' } },
    errors: ['FORBIDDEN', 'RATE_LIMITED'],
  }),
  readAccount: defineRoute({
    method: 'GET',
    path: '/v1/account',
    tag: USERS_TAG,
    summary: 'Read your account',
    role: 'user',
    responses: { 200: { description: 'Sign-in methods and active sessions of the user', schema: accountSchema } },
  }),
  endOtherSessions: defineRoute({
    method: 'DELETE',
    path: '/v1/account/sessions',
    tag: USERS_TAG,
    summary: 'End your other sessions',
    description: 'The session of the request continues.',
    role: 'user',
    responses: { 200: { description: 'The sessions have ended', schema: endedSessionsSchema } },
    errors: ['FORBIDDEN'],
  }),
  readSetup: defineRoute({
    method: 'GET',
    path: '/v1/setup',
    tag: USERS_TAG,
    summary: 'Read the setup status',
    role: 'public',
    responses: { 200: { description: 'The setup status', schema: setupStatusSchema } },
    errors: ['UNAVAILABLE'],
  }),
  setUp: defineRoute({
    method: 'POST',
    path: '/v1/setup',
    tag: USERS_TAG,
    summary: 'Create the first user',
    description:
      'The user becomes admin of all projects. Works only while there is no user. Needs the setup code from the API log, or an API key of the first project with the role `admin`.',
    role: 'public',
    body: initialSetupSchema,
    responses: { 201: sessionCreatedResponse('The user was created and signed in') },
    errors: ['FORBIDDEN', 'CONFLICT', 'UNAVAILABLE'],
  }),
} as const;

const API_KEYS_TAG = 'API keys';

/** The API key or user of the request. */
export const currentPrincipalSchema = z
  .object({
    key: apiKeyViewSchema.nullable().describe('The API key; null for a session'),
    user: userSchema.nullable().default(null).describe('The user of the session; null for an API key'),
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
    summary: 'Create an API key',
    description: 'Only this response contains the key. Pilothouse stores its hash.',
    role: 'admin',
    body: createApiKeySchema,
    audit: { body: ['name', 'role', 'expiresIn'] },
    responses: { 201: { description: 'The key', schema: apiKeyCreatedSchema } },
  }),
  listApiKeys: defineRoute({
    method: 'GET',
    path: '/v1/api-keys',
    tag: API_KEYS_TAG,
    summary: 'List API keys, newest first',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of keys', schema: pageOf(apiKeyViewSchema, 'ApiKeyPage') } },
  }),
  revokeApiKey: defineRoute({
    method: 'DELETE',
    path: '/v1/api-keys/{key}',
    tag: API_KEYS_TAG,
    summary: 'Revoke an API key',
    description: 'Takes effect immediately. Revoking a revoked key changes nothing.',
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
    summary: 'Read the key or user of the request',
    role: 'viewer',
    responses: { 200: { description: 'Key or user, role and project', schema: currentPrincipalSchema } },
  }),
} as const;
