import { z } from 'zod';
import { type Action, actionNames, actionSchemas } from '../actions/action-sets.ts';
import { identifierSchema, jsonSchema } from '../primitives.schema.ts';
import { conditionSchema } from '../actions/condition.schema.ts';
import { hostPatternSchema } from '../project/egress.schema.ts';
import { profileNameTemplateSchema } from '../project/profile.schema.ts';
import {
  type Flow,
  type FlowInput,
  call,
  commonNodeFields,
  controlBlocksOver,
  firstStepIn,
  isBlock,
  walkNodes,
} from './control-flow.schema.ts';
import { otherToolsAction } from './foreign-keys.ts';
import { stepRetrySchema } from './step-retry.schema.ts';
import { valueSchema } from './value.schema.ts';

/** Whether a step that does not find its element is healed. `ask`: a person is asked, too, where nothing else heals it. */
export const healingModeSchema = z.enum(['never', 'auto', 'ask']);

/** Whether an agent does again, without a model, what worked on the same page before. */
export const actionCacheModeSchema = z.enum(['never', 'auto']);

/** What every step may say besides its action. */
const stepFields = {
  ...commonNodeFields,
  timeout: z.number().positive().max(3600).optional().describe('Seconds the step may take (default 30)'),
  expect: conditionSchema.optional().describe('What is to be true afterwards; checked within the time of the step'),
  idempotent: z
    .boolean()
    .optional()
    .describe('false: the step must not happen twice, e.g. placing an order (default: true)'),
  heal: healingModeSchema
    .optional()
    .describe(
      'Whether its element, when it is not found, is looked for by other means; `ask`: at last by a person (default: as the workflow says)',
    ),
  retry: stepRetrySchema.optional().describe('Attempts the step again after it failed (default: one attempt)'),
  onInterrupted: z
    .enum(['verify', 'rerun', 'ask', 'fail'])
    .optional()
    .describe(
      'What a worker that takes over does when this step may have half-happened (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)',
    ),
};

const checkCondition = z.strictObject({
  action: z
    .literal('checkCondition')
    .describe('See whether something is so: its value is true or false; seconds to wait: `timeout` (default 2)'),
  condition: conditionSchema.describe('What is looked for'),
});

/** What a step besides may say that sends input or a request. */
const actingFields = {
  ...stepFields,
  approval: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe(
      'A person must approve the step before it is done; this text is the question. When they refuse, the step fails with APPROVAL_REQUIRED',
    ),
};

/** Seconds that a `checkCondition`, and a condition of the page that decides, waits for what it looks for. */
export const DEFAULT_CHECK_SECONDS = 2;

/** Most bytes of an answer: its value travels in one event. */
export const MAX_RESPONSE_BYTES = 900_000;

const statusSchema = z.int().min(100).max(599);

const http = z.strictObject({
  action: z
    .literal('http')
    .describe('Send a request, without a page; its value is `status`, `headers` and `body`, which is JSON or a text'),
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('Default: GET. POST and PATCH are not repeated unless the step says `idempotent: true`'),
  url: z.string().min(1).max(10_000).describe('Absolute URL; no secrets, which go into `headers`, `body` or `json`'),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Not the name of a header'), z.string())
    .optional(),
  body: z.string().max(1_000_000).optional().describe('Text that is sent'),
  json: jsonSchema.optional().describe('JSON that is sent, with its `content-type`'),
  status: z
    .union([statusSchema, z.array(statusSchema).min(1)])
    .optional()
    .describe('Which answers are expected (default: 200 to 299); another one fails the step'),
  maxBytes: z
    .int()
    .min(0)
    .max(MAX_RESPONSE_BYTES)
    .optional()
    .describe(`Largest answer, in bytes; a larger one fails the step (default: ${MAX_RESPONSE_BYTES})`),
});

/** Most branches of one step. */
export const MAX_BRANCHES = 20;

const saveProfile = z.strictObject({
  action: z
    .literal('saveProfile')
    .describe('Keep cookies and local storage as they are now, for runs that begin with them by `browser.profile`'),
  name: profileNameTemplateSchema
    .optional()
    .describe('Name of the profile in the project (default: that of `browser.profile`)'),
});

/** What an agent does not do by itself. */
export const approvalEffectSchema = z
  .enum(['pay', 'delete', 'send', 'upload', 'credentials', 'otherSite', 'canvas'])
  .meta({ id: 'GuardKind' })
  .describe(
    '`credentials`: type a secret into a page of another origin than the first; `otherSite`: go to, or act on, a site that is not of the run; `canvas`: click in a canvas before a second model call has identified what is there; the others by what a control is called',
  );
export type ApprovalEffect = z.infer<typeof approvalEffectSchema>;

/** Most turns of an agent in one step, and how many it has when the step does not say. */
export const MAX_TURNS = 50;
export const DEFAULT_TURNS = 30;

/** Seconds that an agent has for its goal when the step does not say. */
export const DEFAULT_GOAL_SECONDS = 900;

const goal = z.strictObject({
  action: z
    .literal('goal')
    .describe(
      'Reach a goal that is said in words: an agent looks at the page, asks a model, acts, and checks. Its value is the answer',
    ),
  goal: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      'What is to be reached. Secrets by their template, e.g. `{{inputs.password}}`: those that stand here may be typed, as a name the model never sees the value of',
    ),
  outputSchema: valueSchema.optional().describe('What the answer has to match (default: a text)'),
  siteNotes: z
    .record(hostPatternSchema, z.string().min(1).max(2000))
    .refine((notes) => Object.keys(notes).length <= 50, { error: 'At most 50 sites have notes' })
    .optional()
    .describe(
      'What to know about a site, by its host (`*.` for those below): told only while one of its pages is in front',
    ),
  actionCache: actionCacheModeSchema
    .optional()
    .describe('Whether what worked on the same page is done again without a model (default: as the workflow says)'),
  maxTurns: z.int().min(1).max(MAX_TURNS).optional().describe(`Most turns of the agent (default ${DEFAULT_TURNS})`),
  autoApprove: z
    .array(approvalEffectSchema)
    .max(7)
    .optional()
    .describe('What the agent may do without asking a person (default: none of it)'),
});

const requestSchema = http.meta({ id: 'Branch', description: 'What runs beside others: a request, without a page' });

/** What a branch with a page of its own may do, and every list of steps besides. */
const simpleSteps = [
  actionSchemas.navigate.safeExtend(actingFields),
  actionSchemas.goBack.safeExtend(actingFields),
  actionSchemas.goForward.safeExtend(actingFields),
  actionSchemas.reload.safeExtend(actingFields),
  actionSchemas.switchTab.safeExtend(actingFields),
  actionSchemas.closeTab.safeExtend(actingFields),
  actionSchemas.handleDialog.safeExtend(actingFields),
  actionSchemas.click.safeExtend(actingFields),
  actionSchemas.hover.safeExtend(actingFields),
  actionSchemas.drag.safeExtend(actingFields),
  actionSchemas.scroll.safeExtend(actingFields),
  actionSchemas.fill.safeExtend(actingFields),
  actionSchemas.type.safeExtend(actingFields),
  actionSchemas.clear.safeExtend(actingFields),
  actionSchemas.press.safeExtend(actingFields),
  actionSchemas.readClipboard.safeExtend(actingFields),
  actionSchemas.writeClipboard.safeExtend(actingFields),
  actionSchemas.check.safeExtend(actingFields),
  actionSchemas.uncheck.safeExtend(actingFields),
  actionSchemas.selectOption.safeExtend(actingFields),
  actionSchemas.upload.safeExtend(actingFields),
  actionSchemas.download.safeExtend(actingFields),
  actionSchemas.waitFor.safeExtend(stepFields),
  actionSchemas.wait.safeExtend(stepFields),
  actionSchemas.assert.safeExtend(stepFields),
  actionSchemas.extract.safeExtend(stepFields),
  actionSchemas.observe.safeExtend(stepFields),
  actionSchemas.screenshot.safeExtend(stepFields),
  actionSchemas.pdf.safeExtend(stepFields),
  checkCondition.safeExtend(stepFields),
  http.safeExtend(actingFields),
] as const;

/** Most steps of one branch. */
export const MAX_BRANCH_STEPS = 100;

/** Branches with a page that are at work at a time, when the step does not say. */
export const DEFAULT_MAX_PARALLEL = 4;

const BRANCH_STEPS =
  'A branch holds steps on its page and control flow: no `parallel`, `saveProfile`, `readClipboard` or `writeClipboard`';

/** Actions that none of the steps of a branch has, nor of a workflow that it calls: there is one for all pages of the run. */
export const actionsNotInBranches: ReadonlySet<string> = new Set([
  'parallel',
  'saveProfile',
  'readClipboard',
  'writeClipboard',
]);

/** Steps that stand in a branch. */
const branchSteps = [...simpleSteps, goal.safeExtend(stepFields)] as const;

type BranchSchema = (typeof branchSteps)[number];

interface OfBranch {
  readonly item: BranchNode;
}
interface OfBranchSource {
  readonly item: BranchNodeSource;
}

/** What stands in a branch with a page of its own: a step, or a block of control flow. */
export type BranchNode = z.infer<BranchSchema> | Flow<OfBranch> | z.infer<typeof call>;
type BranchNodeSource = z.input<BranchSchema> | FlowInput<OfBranchSource> | z.input<typeof call>;

const branchListSchema: z.ZodType<BranchNode[], BranchNodeSource[]> = z.lazy(() =>
  z.array(branchNodeSchema).min(1, 'Give at least one step'),
);
const branchCaughtSchema: z.ZodType<BranchNode[], BranchNodeSource[]> = z.lazy(() => z.array(branchNodeSchema));

const branchNodeSchema: z.ZodType<BranchNode, BranchNodeSource> = z
  .discriminatedUnion('action', [...branchSteps, ...controlBlocksOver(branchListSchema, branchCaughtSchema), call], {
    error: (issue) => (issue.code === 'invalid_union' ? (otherToolsAction(issue.input) ?? BRANCH_STEPS) : undefined),
  })
  .meta({ id: 'BranchNode', description: 'A step of a branch, or steps under control flow' });

const pageBranchSchema = z
  .array(branchNodeSchema)
  .min(1, 'Give at least one step')
  .superRefine((nodes, context) => {
    const refuse = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const all = [...walkNodes(nodes)];
    if (all.length > MAX_BRANCH_STEPS) refuse([], `A branch has at most ${MAX_BRANCH_STEPS} steps`);
    const first = firstStepIn(nodes);
    // What a workflow that is called begins with is seen where all workflows are known.
    if (first?.action !== 'navigate' && first?.action !== 'call') {
      const path = all.find(({ node }) => node === first)?.path ?? [0];
      refuse([...path, 'action'], 'A branch begins on an empty page: its first step is `navigate`');
    }
    for (const { node, path } of all) {
      if (actionsNotInBranches.has(node.action)) refuse([...path, 'action'], BRANCH_STEPS);
      for (const field of ['heal', 'onInterrupted', 'approval', 'retry'] as const)
        if (field in node && node[field as never] !== undefined)
          refuse([...path, field], `Steps of a branch have no \`${field}\``);
    }
  })
  .meta({ id: 'PageBranch', description: 'What runs beside others on a page of its own: steps, one after the other' });

const parallel = z.strictObject({
  action: z.literal('parallel').describe('Do several things at once; its value has that of each branch by its name'),
  branches: z
    .record(identifierSchema, z.union([requestSchema, pageBranchSchema]))
    .refine((branches) => Object.keys(branches).length >= 2, { error: 'Give at least two branches' })
    .refine((branches) => Object.keys(branches).length <= MAX_BRANCHES, {
      error: `At most ${MAX_BRANCHES} branches run at once`,
    })
    .describe(
      'By name: a list of steps with a page of their own, or an `http` step without `expect`, `if` and the like, which the whole step has',
    ),
  maxParallel: z
    .int()
    .min(1)
    .max(MAX_BRANCHES)
    .optional()
    .describe(`Most branches with a page at work at a time (default ${DEFAULT_MAX_PARALLEL})`),
});

/** One instruction of a workflow: something is done, and has an outcome. */
export const stepSchema = z
  .discriminatedUnion('action', [
    ...simpleSteps,
    parallel.safeExtend(stepFields),
    saveProfile.safeExtend(stepFields),
    goal.safeExtend(stepFields),
  ])
  .meta({ id: 'Step', description: 'One instruction of a workflow' });
export type Step = z.infer<typeof stepSchema>;

/** What steps do besides the actions of surfaces. */
const besides = ['checkCondition', 'http', 'parallel', 'saveProfile', 'goal'] as const;
type Beside = (typeof besides)[number];

/** A step that a surface carries out. */
export type SurfaceStep = Exclude<Step, { action: Beside }>;

export const isSurfaceStep = (step: Step): step is SurfaceStep => !besides.includes(step.action as Beside);

/** A step that sends a request. */
export type HttpStep = Extract<Step, { action: 'http' }>;

/** A step that does several things at once. */
export type ParallelStep = Extract<Step, { action: 'parallel' }>;

/** A step that keeps the state of the browser. */
export type SaveProfileStep = Extract<Step, { action: 'saveProfile' }>;

/** A step that an agent carries out. */
export type GoalStep = Extract<Step, { action: 'goal' }>;

/** What steps do, by name. */
export const stepActions = [...actionNames, ...besides] as const;

/** A request, without what belongs to its step. */
export type HttpRequestStep = z.infer<typeof requestSchema>;

/** A step of a branch with a page of its own. */
export type BranchStep = z.infer<BranchSchema>;

/** What runs beside others. */
export type Branch = ParallelStep['branches'][string];

/** Whether a branch has a page of its own. */
export const hasOwnPage = (branch: Branch): branch is BranchNode[] => Array.isArray(branch);

/** The branches of a step that have a page of their own, by name. */
export const pageBranchesOf = (step: Step): [name: string, nodes: BranchNode[]][] =>
  step.action === 'parallel'
    ? Object.entries(step.branches).flatMap(([name, branch]) => (hasOwnPage(branch) ? [[name, branch]] : []))
    : [];

/** The steps of branches with a page, those under control flow too. */
export const branchStepsOf = (step: Step): BranchStep[] =>
  pageBranchesOf(step).flatMap(([, nodes]) =>
    [...walkNodes(nodes)].flatMap(({ node }) => (isBlock(node) ? [] : [node])),
  );

/** The requests that a step sends by itself; what branches with a page send is theirs. */
export const requestsOf = (step: Step): HttpRequestStep[] =>
  step.action === 'http'
    ? [step]
    : step.action === 'parallel'
      ? Object.values(step.branches).flatMap((branch) => (hasOwnPage(branch) ? [] : [branch]))
      : [];

/**
 * Whether a step must not happen twice: it says so, or a step of its branches does; it is a request that may do something each time it is sent
 * (RFC 9110, 9.2.2), or an agent that may do something for good.
 */
export function isNonIdempotent(step: Step): boolean {
  const inside = branchStepsOf(step);
  if (step.idempotent === false || inside.some(({ idempotent }) => idempotent === false)) return true;
  if (step.idempotent === true) return false;
  const isUnsafe = requestsOf(step).some(({ method }) => method === 'POST' || method === 'PATCH');
  return isUnsafe || mayDoForGood(step) || inside.some(isNonIdempotent);
}

/** An agent that may do by itself what cannot be taken back. */
const mayDoForGood = (step: Step) =>
  step.action === 'goal' &&
  (step.autoApprove ?? []).some((kind) => kind !== 'credentials' && kind !== 'otherSite' && kind !== 'canvas');

/** Question that a person must approve before a step is done; undefined: the step needs no approval. */
export const approvalOf = (step: Step): string | undefined => ('approval' in step ? step.approval : undefined);

/** Seconds a step may take when it does not say. */
export const DEFAULT_STEP_SECONDS = 30;

/** Seconds a step may take. One that only waits may take as long as it waits, and some time on top. */
export const stepSeconds = (step: Step): number =>
  step.timeout ??
  (step.action === 'goal' ? DEFAULT_GOAL_SECONDS : DEFAULT_STEP_SECONDS) + (step.action === 'wait' ? step.seconds : 0);

/** The action of a step, without what belongs to the step. */
export function surfaceActionOf(step: SurfaceStep): Action {
  const { id, title, if: _if, timeout, expect, idempotent, heal, onInterrupted, retry, ...rest } = step;
  if (!('approval' in rest)) return rest;
  const { approval, ...action } = rest;
  return action;
}

/*
 * The facts about a run. To add an event: write its data here under a new type. To change one: raise its version and add an
 * upgrade in upgrade.ts; a version that was ever written is never dropped.
 */
