import { z } from 'zod';
import { roleSchema } from './api-key.schema.ts';
import { idSchema, timestampSchema, slugSchema } from '../primitives.schema.ts';
import { emailSchema, passwordSchema, userNameSchema, userSchema } from './user.schema.ts';

/** A user of a project. */
export const memberSchema = z
  .object({
    user: userSchema,
    role: roleSchema,
    since: timestampSchema.describe('Time at which the user became a member'),
    lastSeenAt: timestampSchema.nullable().describe('Last use of a session of the user; null: no session'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

/** Body of `PATCH /v1/members/{user}`. */
export const updateMemberSchema = z.strictObject({ role: roleSchema }).meta({ id: 'UpdateMember' });

const SECONDS_PER_DAY = 86_400;

/** Body of `POST /v1/invitations`. */
export const inviteSchema = z
  .strictObject({
    email: emailSchema,
    role: roleSchema,
    expiresIn: z
      .int()
      .min(60)
      .max(90 * SECONDS_PER_DAY)
      .default(7 * SECONDS_PER_DAY)
      .describe('Seconds until the link expires (default: one week)'),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof inviteSchema>;

/** A pending invitation. */
export const invitationSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    role: roleSchema,
    invitedBy: z.string().describe('Name of the key or email of the user'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof invitationSchema>;

const link = z.string().describe('Link for the user. The part after `#` is the secret token, which is not shown again');

/** A new invitation: the only time the link is shown. */
export const invitationCreatedSchema = invitationSchema.extend({ url: link }).meta({ id: 'InvitationCreated' });
export type InvitationCreated = z.infer<typeof invitationCreatedSchema>;

/** The token in the fragment of a link. */
const token = z.string().min(1).max(200).describe('The part after `#` in the link');

/** Body of `POST /v1/invitations/lookup`. */
export const lookUpInvitationSchema = z.strictObject({ token }).meta({ id: 'LookUpInvitation' });

/** An invitation as its guest sees it. */
export const invitationDetailsSchema = z
  .object({
    email: z.string(),
    role: roleSchema,
    project: z.object({ slug: slugSchema, name: z.string() }),
    expiresAt: timestampSchema,
    hasAccount: z.boolean().describe('A user with this address exists: ask for their password, not for a name'),
  })
  .meta({ id: 'InvitationDetails' });
export type InvitationDetails = z.infer<typeof invitationDetailsSchema>;

/** Body of `POST /v1/invitations/accept`. */
export const acceptInvitationSchema = z
  .strictObject({
    token,
    name: userNameSchema.optional().describe('Display name of a new user. Ignored for an existing user'),
    password: z
      .string()
      .min(1)
      .max(200)
      .describe('Password of an existing user, or a new one with at least 12 characters'),
  })
  .meta({ id: 'AcceptInvitation' });
export type AcceptInvitation = z.infer<typeof acceptInvitationSchema>;

/** A link to set a new password. */
export const resetLinkSchema = z.object({ url: link, expiresAt: timestampSchema }).meta({ id: 'ResetLink' });
export type ResetLink = z.infer<typeof resetLinkSchema>;

/** Body of `POST /v1/password-reset`. */
export const resetPasswordSchema = z.strictObject({ token, password: passwordSchema }).meta({ id: 'ResetPassword' });
export type ResetPassword = z.infer<typeof resetPasswordSchema>;

/** Body of `PUT /v1/sessions/current/password`. */
export const changePasswordSchema = z
  .strictObject({ current: z.string().min(1).max(1000).describe('The current password'), password: passwordSchema })
  .meta({ id: 'ChangePassword' });
export type ChangePassword = z.infer<typeof changePasswordSchema>;

export const projectNameSchema = z.string().trim().min(1, 'Give a name').max(100).describe('Display name');

/** Body of `POST /v1/projects`. */
export const createProjectSchema = z
  .strictObject({ slug: slugSchema.describe('Identifier for programs. It cannot be changed'), name: projectNameSchema })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.infer<typeof createProjectSchema>;
