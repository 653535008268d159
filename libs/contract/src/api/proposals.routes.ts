import { z } from 'zod';
import { locatorSchema } from '../actions/locator.schema.ts';
import { healingMethods } from '../events/run.events.ts';
import { idSchema, timestampSchema, slugSchema } from '../primitives.schema.ts';
import { repairPolicySchema } from '../workflow/workflow.schema.ts';
import { listQuery, pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Proposals';

/** Origin of a proposed version: repaired locators, or a compiled agent run. */
export const proposalKindSchema = z.enum(['heal', 'compile']).meta({ id: 'ProposalKind' });
export type ProposalKind = z.infer<typeof proposalKindSchema>;

export const proposalStatusSchema = z
  .enum(['open', 'published', 'rejected', 'superseded'])
  .meta({ id: 'ProposalStatus' })
  .describe('`superseded`: another proposal or published version replaced it');
export type ProposalStatus = z.infer<typeof proposalStatusSchema>;

/** One step of a workflow that finds its element again. */
export const repairedStepSchema = z
  .object({
    path: z.string().max(500).describe('Path of the step'),
    title: z.string(),
    method: z.enum(healingMethods).describe('Method that found the element'),
    element: z.string().describe('Description of the element'),
    previousLocators: z.array(locatorSchema).describe('Locators that found nothing. They remain after the new ones'),
    locators: z.array(locatorSchema).describe('Locators that find the element now, with the templates of the step'),
  })
  .meta({ id: 'RepairedStep' });
export type RepairedStep = z.infer<typeof repairedStepSchema>;

/** Result of running the proposed version without a model. */
export const verificationSchema = z
  .object({
    state: z
      .enum(['none', 'running', 'passed', 'failed'])
      .describe(
        '`none`: not verified, see `reason`; `passed`: the run completed without healing and without model calls outside of goals',
      ),
    run: idSchema.nullable().describe('The verification run'),
    reason: z.string().nullable().describe('Reason why it was not verified, or did not pass'),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof verificationSchema>;

/** A draft version that Pilothouse created, for a person to publish or reject. */
export const proposalSchema = z
  .object({
    id: idSchema,
    kind: proposalKindSchema,
    workflow: z.object({ id: idSchema, name: slugSchema }),
    baseVersion: z.int().min(1).nullable().describe('The version that it changes; null: a new workflow'),
    version: z.int().min(1).describe('The proposed version'),
    status: proposalStatusSchema,
    policy: repairPolicySchema,
    changes: z.array(repairedStepSchema).describe('Steps with changed locators'),
    notes: z.array(z.string()).describe('Healed steps that the proposal does not repair, one sentence each'),
    runs: z.array(idSchema).describe('Runs that led to the proposal, oldest first, at most 20'),
    verification: verificationSchema,
    approvedBy: z
      .string()
      .nullable()
      .describe('Person who approved it before the verification ended; null: not approved'),
    createdAt: timestampSchema,
    decidedAt: timestampSchema.nullable(),
    decidedBy: z.string().nullable().describe('Person who published or rejected it; `heal`: the repair policy'),
  })
  .meta({ id: 'Proposal', description: 'A proposed version of a workflow' });
export type ProposalView = z.infer<typeof proposalSchema>;

/** Query of `GET /v1/proposals`. */
export const listProposalsQuery = z.object({
  ...pageQuery,
  status: listQuery(proposalStatusSchema).describe('Only proposals with one of these statuses'),
  workflow: z.union([idSchema, slugSchema]).optional().describe('Only proposals of this workflow: its name or id'),
  run: idSchema.optional().describe('Only proposals from this run'),
});
export type ListProposalsQuery = z.output<typeof listProposalsQuery>;

/** Body of `POST /v1/proposals/{proposal}/publish`. */
export const publishProposalSchema = z
  .strictObject({
    skipVerification: z
      .boolean()
      .default(false)
      .describe('Publish even if verification has not finished or has failed'),
    verifyFirst: z
      .boolean()
      .default(false)
      .describe(
        'Run the version first, with the inputs of the newest run that led to it. This also executes steps that must not happen twice',
      ),
  })
  .refine(({ skipVerification, verifyFirst }) => !(skipVerification && verifyFirst), {
    error: 'Set `verifyFirst` or `skipVerification`, not both',
    path: ['skipVerification'],
  })
  .meta({ id: 'PublishProposal' });
export type PublishProposal = z.infer<typeof publishProposalSchema>;

const params = z.object({ proposal: idSchema.describe('Id of the proposal') });
const proposalResponse = { 200: { description: 'The proposal', schema: proposalSchema } } as const;

export const proposalRoutes = {
  listProposals: defineRoute({
    method: 'GET',
    path: '/v1/proposals',
    tag,
    summary: 'List proposals, newest first',
    role: 'viewer',
    query: listProposalsQuery,
    responses: { 200: { description: 'Proposals', schema: pageOf(proposalSchema, 'ProposalPage') } },
  }),
  readProposal: defineRoute({
    method: 'GET',
    path: '/v1/proposals/{proposal}',
    tag,
    summary: 'Read a proposal',
    role: 'viewer',
    params,
    responses: proposalResponse,
    errors: ['NOT_FOUND'],
  }),
  publishProposal: defineRoute({
    method: 'POST',
    path: '/v1/proposals/{proposal}/publish',
    tag,
    summary: 'Publish a proposal',
    description:
      'Publishes the version if its verification passed or was not possible. Returns 409 if the proposal is already decided, if another version was published since, or, without `skipVerification`, while the verification runs or after it failed. With `verifyFirst`, a proposal without verification gets a verification run first. It is published when that run completes without healing, and without model calls outside of goals.',
    role: 'admin',
    params,
    body: publishProposalSchema,
    responses: proposalResponse,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  rejectProposal: defineRoute({
    method: 'POST',
    path: '/v1/proposals/{proposal}/reject',
    tag,
    summary: 'Reject a proposal',
    description: 'The version stays a draft. The same change of the same version is not proposed again.',
    role: 'admin',
    params,
    responses: proposalResponse,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
