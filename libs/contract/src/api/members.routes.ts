import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';
import {
  acceptInvitationSchema,
  updateMemberSchema,
  invitationCreatedSchema,
  invitationSchema,
  invitationDetailsSchema,
  inviteSchema,
  lookUpInvitationSchema,
  memberSchema,
  resetLinkSchema,
  resetPasswordSchema,
} from '../project/member.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';
import { sessionCreatedResponse } from './auth.routes.ts';

const tag = 'Users';
const params = z.object({ user: idSchema.describe('Id of the user') });

export const memberRoutes = {
  listMembers: defineRoute({
    method: 'GET',
    path: '/v1/members',
    tag,
    summary: 'List the members of the project, in the order in which they came',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of members', schema: pageOf(memberSchema, 'MemberPage') } },
  }),
  updateMember: defineRoute({
    method: 'PATCH',
    path: '/v1/members/{user}',
    tag,
    summary: 'Change the role of a member',
    description: 'Counts from the next request of the user. The last admin of a project stays one.',
    role: 'admin',
    params,
    body: updateMemberSchema,
    audit: { body: ['role'], answer: ['user.email'] },
    responses: { 200: { description: 'The member, changed', schema: memberSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  removeMember: defineRoute({
    method: 'DELETE',
    path: '/v1/members/{user}',
    tag,
    summary: 'Remove a member',
    description:
      'All sessions of the user end. Who is member of no project any more is gone. The last admin of a project stays.',
    role: 'admin',
    params,
    audit: { answer: ['user.email'] },
    responses: { 200: { description: 'Who is no longer a member', schema: memberSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  createPasswordReset: defineRoute({
    method: 'POST',
    path: '/v1/members/{user}/password-reset',
    tag,
    summary: 'Make a link with which a member sets a new password',
    description:
      'Good once, for a day; a new link takes the place of the last. Only for who is admin of every project that the user is member of: the link opens them all.',
    role: 'admin',
    params,
    responses: { 201: { description: 'The link', schema: resetLinkSchema } },
    errors: ['NOT_FOUND'],
  }),
  resetPassword: defineRoute({
    method: 'POST',
    path: '/v1/password-reset',
    tag,
    summary: 'Set a new password, with a link',
    description: 'The user is signed in here, and every other session of the user ends.',
    role: 'public',
    body: resetPasswordSchema,
    responses: { 200: sessionCreatedResponse('The password is set, and the user signed in') },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
  createInvitation: defineRoute({
    method: 'POST',
    path: '/v1/invitations',
    tag,
    summary: 'Invite a user to the project',
    description:
      'Answers with a link that is good once. Nothing is sent: hand it over. A new invitation of the same address takes the place of the last.',
    role: 'admin',
    body: inviteSchema,
    audit: { body: ['email', 'role'] },
    responses: { 201: { description: 'The invitation, with its link', schema: invitationCreatedSchema } },
    errors: ['CONFLICT'],
  }),
  listInvitations: defineRoute({
    method: 'GET',
    path: '/v1/invitations',
    tag,
    summary: 'List pending invitations, newest first',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of invitations', schema: pageOf(invitationSchema, 'InvitationPage') } },
  }),
  revokeInvitation: defineRoute({
    method: 'DELETE',
    path: '/v1/invitations/{invitation}',
    tag,
    summary: 'Take an invitation back',
    role: 'admin',
    params: z.object({ invitation: idSchema.describe('Id of the invitation') }),
    audit: { answer: ['email', 'role'] },
    responses: { 200: { description: 'What was taken back', schema: invitationSchema } },
    errors: ['NOT_FOUND'],
  }),
  lookUpInvitation: defineRoute({
    method: 'POST',
    path: '/v1/invitations/lookup',
    tag,
    summary: 'Read to what a link invites',
    role: 'public',
    body: lookUpInvitationSchema,
    audit: 'nothing',
    responses: { 200: { description: 'The invitation', schema: invitationDetailsSchema } },
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  acceptInvitation: defineRoute({
    method: 'POST',
    path: '/v1/invitations/accept',
    tag,
    summary: 'Become a member, with a link',
    description:
      'Who is new gives a name and chooses a password; who has an account gives its password. The user is signed in.',
    role: 'public',
    body: acceptInvitationSchema,
    responses: { 201: sessionCreatedResponse('The user is a member, and signed in') },
    errors: ['NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
} as const;
