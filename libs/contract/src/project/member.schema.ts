import { z } from 'zod';
import { roleSchema } from './api-key.schema.ts';
import { idSchema, timestampSchema, slugSchema } from '../primitives.schema.ts';
import { emailSchema, passwordSchema, userNameSchema, userSchema } from './user.schema.ts';

/** A user of a project. */
export const memberSchema = z
  .object({
    user: userSchema,
    role: roleSchema,
    since: timestampSchema.describe('When the user became a member'),
    lastSeenAt: timestampSchema.nullable().describe('When a session of the user was last used; null: there is none'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

/** Body of `PATCH /v1/members/{user}`. */
export const updateMemberSchema = z.strictObject({ role: roleSchema }).meta({ id: 'UpdateMember' });
export type UpdateMember = z.infer<typeof updateMemberSchema>;

/** Seconds in a day. */
const DAY = 86_400;

/** Body of `POST /v1/invitations`. */
export const inviteSchema = z
  .strictObject({
    email: emailSchema,
    role: roleSchema,
    expiresIn: z
      .int()
      .min(60)
      .max(90 * DAY)
      .default(7 * DAY)
      .describe('Seconds that the link is good for (default: a week)'),
  })
  .meta({ id: 'Invite' });
export type Invite = z.infer<typeof inviteSchema>;

/** A pending invitation. */
export const invitationSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    role: roleSchema,
    invitedBy: z.string().describe('Name of the key or address of the user'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof invitationSchema>;

const link = z
  .string()
  .describe('Hand it to the user. What is behind the `#` opens the door, and is shown here and never again');

/** A new invitation: the only time the link is shown. */
export const invitationCreatedSchema = invitationSchema.extend({ url: link }).meta({ id: 'InvitationCreated' });
export type InvitationCreated = z.infer<typeof invitationCreatedSchema>;

/** The token in the fragment of a link. */
const token = z.string().min(1).max(200).describe('What is behind the `#` of the link');

/** Body of `POST /v1/invitations/lookup`. */
export const lookUpInvitationSchema = z.strictObject({ token }).meta({ id: 'LookUpInvitation' });

/** An invitation as its guest sees it. */
export const invitationDetailsSchema = z
  .object({
    email: z.string(),
    role: roleSchema,
    project: z.object({ slug: slugSchema, name: z.string() }),
    expiresAt: timestampSchema,
    hasAccount: z.boolean().describe('There is a user of this address: ask for their password, and for no name'),
  })
  .meta({ id: 'InvitationDetails' });
export type InvitationDetails = z.infer<typeof invitationDetailsSchema>;

/** Body of `POST /v1/invitations/accept`. */
export const acceptInvitationSchema = z
  .strictObject({
    token,
    name: userNameSchema.optional().describe('How others will see you; for who is known already it stays as it is'),
    password: z.string().min(1).max(200).describe('At least 12 characters; of who is known already, their password'),
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
  .strictObject({ current: z.string().min(1).max(1000).describe('The password until now'), password: passwordSchema })
  .meta({ id: 'ChangePassword' });
export type ChangePassword = z.infer<typeof changePasswordSchema>;

export const projectNameSchema = z.string().trim().min(1, 'Give a name').max(100).describe('What people call it');

/** Body of `POST /v1/projects`. */
export const createProjectSchema = z
  .strictObject({ slug: slugSchema.describe('What programs call it; it stays'), name: projectNameSchema })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.infer<typeof createProjectSchema>;
