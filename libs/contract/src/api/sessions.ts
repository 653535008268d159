import { z } from 'zod';
import { localPathSchema } from '../user/local-path.ts';
import { changePasswordSchema } from '../user/member.ts';
import { sessionViewSchema, initialSetupSchema, setupStatusSchema, signInSchema } from '../user/user.ts';
import { defineRoute } from './route.ts';

const tag = 'Users';

/** A cookie that says who is signed in comes with the answer. */
export const sessionCreatedResponse = (description: string) =>
  ({
    description,
    schema: sessionViewSchema,
    headers: { 'Set-Cookie': 'The session, for this host and not for scripts' },
  }) as const;

export const sessionRoutes = {
  signIn: defineRoute({
    method: 'POST',
    path: '/v1/session',
    tag,
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
    path: '/v1/session',
    tag,
    summary: 'Read who is signed in',
    role: 'user',
    responses: { 200: { description: 'The user, and which projects are open to them', schema: sessionViewSchema } },
  }),
  signOut: defineRoute({
    method: 'DELETE',
    path: '/v1/session',
    tag,
    summary: 'Sign out',
    role: 'user',
    responses: {
      204: { description: 'The session has ended', headers: { 'Set-Cookie': 'Takes the cookie away' } },
    },
    errors: ['FORBIDDEN'],
  }),
  startOidc: defineRoute({
    method: 'GET',
    path: '/v1/session/oidc',
    tag,
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
    path: '/v1/session/oidc/callback',
    tag,
    summary: 'Come back from the OpenID Connect provider',
    description:
      'For browsers. Whoever does not get in is sent to `/sign-in?refused=` with the reason: `failed` (the provider did not confirm who it is, or the ' +
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
    path: '/v1/session/password',
    tag,
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
    tag,
    summary: 'Whether the first user has to be made, and how the others sign in',
    role: 'public',
    responses: { 200: { description: 'Whether and how', schema: setupStatusSchema } },
    errors: ['UNAVAILABLE'],
  }),
  setUp: defineRoute({
    method: 'POST',
    path: '/v1/setup',
    tag,
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
