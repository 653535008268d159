import { z } from 'zod';
import { roleSchema } from './api-key.schema.ts';
import { idSchema, slugSchema, timestampSchema } from '../primitives.schema.ts';

/** An e-mail address as it is stored and compared: in lower case. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]{1,64}@[^\s@]+$/, 'Give an e-mail address, e.g. `ada@example.com`')
  .describe('Email address, case-insensitive');

/** A new password. Sign-in does not apply this rule, so that passwords stay valid when the rule changes. */
export const passwordSchema = z
  .string()
  .min(12, 'Use at least 12 characters, e.g. a sentence')
  .max(200, 'Use at most 200 characters')
  .describe('12 to 200 characters of any kind');

export const userNameSchema = z.string().trim().min(1, 'Give a name').max(100).describe('Display name of the user');

/** A user account. */
export const userSchema = z.object({ id: idSchema, email: z.string(), name: z.string() }).meta({ id: 'User' });
export type User = z.infer<typeof userSchema>;

/** A project of a user, with the role of the user. */
export const projectMembershipSchema = z
  .object({ id: idSchema, slug: slugSchema, name: z.string(), role: roleSchema })
  .meta({ id: 'ProjectMembership' });
export type ProjectMembership = z.infer<typeof projectMembershipSchema>;

/** The signed-in user and their projects. */
export const sessionViewSchema = z
  .object({
    user: userSchema,
    projects: z
      .array(projectMembershipSchema)
      .describe('Projects by name. Send the id of one in the header `Pilothouse-Project`'),
    csrf: z.string().describe('Send it in the header `Pilothouse-Csrf` with every request except GET'),
    expiresAt: timestampSchema.describe('Latest end of the session'),
  })
  .meta({ id: 'Session' });
export type SessionView = z.infer<typeof sessionViewSchema>;

/** The account of the signed-in user: sign-in methods and sessions. */
export const accountSchema = z
  .object({
    user: userSchema,
    hasPassword: z.boolean().describe('The user can sign in with a password, and change it'),
    providers: z.array(z.string()).describe('Issuers of the OpenID Connect identities of the user'),
    sessions: z
      .array(
        z.object({
          isCurrent: z.boolean().describe('The session of this request'),
          createdAt: timestampSchema,
          lastSeenAt: timestampSchema.describe('Last use, to the minute'),
          expiresAt: timestampSchema.describe('Latest end of the session'),
        }),
      )
      .describe('Active sessions; the last used first'),
  })
  .meta({ id: 'Account' });
export type AccountView = z.infer<typeof accountSchema>;

/** Result of `DELETE /v1/account/sessions`. */
export const endedSessionsSchema = z
  .object({ ended: z.int().min(0).describe('Number of sessions that ended') })
  .meta({ id: 'EndedSessions' });

/** Body of `POST /v1/sessions/current`. */
export const signInSchema = z
  .strictObject({ email: emailSchema, password: z.string().min(1).max(1000) })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof signInSchema>;

/** State of the setup: the missing first user, and the sign-in methods. */
export const setupStatusSchema = z
  .object({
    needed: z.boolean().describe('true: there is no user. `POST /v1/setup` creates the first one'),
    oidc: z
      .object({ name: z.string().describe('Name of the provider') })
      .nullable()
      .describe('Single sign-on at `/v1/sessions/current/oidc`; null: password only'),
  })
  .meta({ id: 'SetupStatus' });
export type SetupStatus = z.infer<typeof setupStatusSchema>;

/** Body of `POST /v1/setup`. */
export const initialSetupSchema = z
  .strictObject({
    code: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('Setup code from the API log, or an API key of the first project with the role `admin`'),
    email: emailSchema,
    name: userNameSchema,
    password: passwordSchema,
  })
  .meta({ id: 'InitialSetup' });
export type InitialSetup = z.infer<typeof initialSetupSchema>;

/** Grants a role in a project to users with a matching claim in their token. */
export const oidcRoleSchema = z.strictObject({
  claim: z.string().min(1).max(200).describe('Name of the claim, or its path, e.g. `groups`, `realm_access.roles`'),
  value: z.string().min(1).max(500).describe('Value of the claim, or an item of it if it is a list'),
  project: slugSchema,
  role: roleSchema,
});
export type OidcRole = z.infer<typeof oidcRoleSchema>;
