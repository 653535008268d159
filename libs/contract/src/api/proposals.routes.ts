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
  .describe('`superseded`: another proposal, or another published version, took its place');
export type ProposalStatus = z.infer<typeof proposalStatusSchema>;

/** One step of a workflow that finds its element again. */
export const repairedStepSchema = z
  .object({
    path: z.string().max(500).describe('Where the step stands'),
    title: z.string(),
    method: z.enum(healingMethods).describe('What found the element'),
    element: z.string().describe('What was acted on, in words'),
    previousLocators: z.array(locatorSchema).describe('What found nothing; it stays behind the new ones'),
    locators: z.array(locatorSchema).describe('What finds it now, with the templates of the step'),
  })
  .meta({ id: 'RepairedStep' });
export type RepairedStep = z.infer<typeof repairedStepSchema>;

/** Result of a run of the proposed version without a model. */
export const verificationSchema = z
  .object({
    state: z
      .enum(['none', 'running', 'passed', 'failed'])
      .describe(
        '`none`: it was not tried, see `reason`; `passed`: it completed, without a call to a model and with nothing healed',
      ),
    run: idSchema.nullable().describe('The run that tries it'),
    reason: z.string().nullable().describe('Why it was not tried, did not pass, or was given up'),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof verificationSchema>;

/** A draft version that Pilothouse created, for a person to publish or reject. */
export const proposalSchema = z
  .object({
    id: idSchema,
    kind: proposalKindSchema,
    workflow: z.object({ id: idSchema, name: slugSchema }),
    baseVersion: z.int().min(1).nullable().describe('The version that it changes; null: it changes none'),
    version: z.int().min(1).describe('The version that is proposed'),
    status: proposalStatusSchema,
    policy: repairPolicySchema,
    changes: z.array(repairedStepSchema).describe('The diff: which steps have other locators'),
    notes: z.array(z.string()).describe('What was healed and is not repaired, in sentences'),
    runs: z.array(idSchema).describe('Runs that led to it, the oldest first; at most 20'),
    verification: verificationSchema,
    approvedBy: z
      .string()
      .nullable()
      .describe('Who wants it published as soon as its verification has passed; null: not approved'),
    createdAt: timestampSchema,
    decidedAt: timestampSchema.nullable(),
    decidedBy: z.string().nullable().describe('Who published or rejected it; `heal`: the policy did'),
  })
  .meta({ id: 'Proposal', description: 'A proposed version of a workflow' });
export type ProposalView = z.infer<typeof proposalSchema>;

/** Query of `GET /v1/proposals`. */
export const listProposalsQuery = z.object({
  ...pageQuery,
  status: listQuery(proposalStatusSchema).describe('Only those in one of these states'),
  workflow: z.union([idSchema, slugSchema]).optional().describe('Only those of this workflow, by name or id'),
  run: idSchema.optional().describe('Only those that this run led to'),
});
export type ListProposalsQuery = z.output<typeof listProposalsQuery>;

/** Body of `POST /v1/proposals/{proposal}/publish`. */
export const publishProposalSchema = z
  .strictObject({
    skipVerification: z
      .boolean()
      .default(false)
      .describe('Publish it although its verification has not finished, or failed'),
    verifyFirst: z
      .boolean()
      .default(false)
      .describe(
        'Carry it out once first, with the inputs of the newest run that led to it, also what must not happen twice; it is published once that has passed',
      ),
  })
  .refine(({ skipVerification, verifyFirst }) => !(skipVerification && verifyFirst), {
    error: 'Set `verifyFirst` or `skipVerification`, not both',
    path: ['skipVerification'],
  })
  .meta({ id: 'PublishProposal' });
export type PublishProposal = z.infer<typeof publishProposalSchema>;

const params = z.object({ proposal: idSchema.describe('Id of the proposal') });
const one = { 200: { description: 'The proposal', schema: proposalSchema } } as const;

export const proposalRoutes = {
  listProposals: defineRoute({
    method: 'GET',
    path: '/v1/proposals',
    tag,
    summary: 'List proposed versions of workflows, the newest first',
    role: 'viewer',
    query: listProposalsQuery,
    responses: { 200: { description: 'Proposals', schema: pageOf(proposalSchema, 'ProposalPage') } },
  }),
  readProposal: defineRoute({
    method: 'GET',
    path: '/v1/proposals/{proposal}',
    tag,
    summary: 'Read a proposal, with what it changes',
    role: 'viewer',
    params,
    responses: one,
    errors: ['NOT_FOUND'],
  }),
  publishProposal: defineRoute({
    method: 'POST',
    path: '/v1/proposals/{proposal}/publish',
    tag,
    summary: 'Publish the proposed version',
    description:
      'Answers 409 when it is decided, when another version was published meanwhile, and, without `skipVerification`, while its verification is running or after it failed. What could not be tried is published on this word alone, or with `verifyFirst` after a replay: the answer is the proposal, still open, with the run that tries it; it is published when that completes without a call to a model but by its goals, and with nothing healed. What has passed already is published at once.',
    role: 'admin',
    params,
    body: publishProposalSchema,
    responses: one,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  rejectProposal: defineRoute({
    method: 'POST',
    path: '/v1/proposals/{proposal}/reject',
    tag,
    summary: 'Reject a proposal',
    description: 'The version stays a draft. The same repair of the same version is not proposed again.',
    role: 'admin',
    params,
    responses: one,
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
} as const;
