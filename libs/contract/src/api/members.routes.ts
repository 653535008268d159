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
    summary: 'List members, oldest first',
    role: 'admin',
    query: z.object(pageQuery),
    responses: { 200: { description: 'A page of members', schema: pageOf(memberSchema, 'MemberPage') } },
  }),
  updateMember: defineRoute({
    method: 'PATCH',
    path: '/v1/members/{user}',
    tag,
    summary: 'Change the role of a member',
    description: 'Takes effect with the next request of the user. The last admin of a project cannot be changed.',
    role: 'admin',
    params,
    body: updateMemberSchema,
    audit: { body: ['role'], answer: ['user.email'] },
    responses: { 200: { description: 'The changed member', schema: memberSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  removeMember: defineRoute({
    method: 'DELETE',
    path: '/v1/members/{user}',
    tag,
    summary: 'Remove a member',
    description:
      'Ends all sessions of the user. A user without projects is deleted. The last admin of a project cannot be removed.',
    role: 'admin',
    params,
    audit: { answer: ['user.email'] },
    responses: { 200: { description: 'The removed member', schema: memberSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  createPasswordReset: defineRoute({
    method: 'POST',
    path: '/v1/members/{user}/password-reset',
    tag,
    summary: 'Create a password reset link',
    description:
      'The link is valid once, for 24 hours. A new link replaces the previous one. Only for admins of every project of the user, because the link gives access to all of them.',
    role: 'admin',
    params,
    responses: { 201: { description: 'The link', schema: resetLinkSchema } },
    errors: ['NOT_FOUND'],
  }),
  resetPassword: defineRoute({
    method: 'POST',
    path: '/v1/password-reset',
    tag,
    summary: 'Set a new password with a reset link',
    description: 'Signs the user in and ends all other sessions of the user.',
    role: 'public',
    body: resetPasswordSchema,
    responses: { 200: sessionCreatedResponse('The password was set and the user is signed in') },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
  createInvitation: defineRoute({
    method: 'POST',
    path: '/v1/invitations',
    tag,
    summary: 'Invite a user to the project',
    description:
      'Returns a link that is valid once. Pilothouse sends no email: pass the link on. A new invitation of the same address replaces the previous one.',
    role: 'admin',
    body: inviteSchema,
    audit: { body: ['email', 'role'] },
    responses: { 201: { description: 'The invitation with its link', schema: invitationCreatedSchema } },
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
    summary: 'Revoke an invitation',
    role: 'admin',
    params: z.object({ invitation: idSchema.describe('Id of the invitation') }),
    audit: { answer: ['email', 'role'] },
    responses: { 200: { description: 'The revoked invitation', schema: invitationSchema } },
    errors: ['NOT_FOUND'],
  }),
  lookUpInvitation: defineRoute({
    method: 'POST',
    path: '/v1/invitations/lookup',
    tag,
    summary: 'Read an invitation by its link',
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
    summary: 'Accept an invitation',
    description:
      'A new user sends a name and chooses a password. An existing user sends their password. Signs the user in.',
    role: 'public',
    body: acceptInvitationSchema,
    responses: { 201: sessionCreatedResponse('The user is a member and signed in') },
    errors: ['NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED', 'UNAVAILABLE'],
  }),
} as const;
