import { z } from 'zod';
import { type Action, actionNames, actionSchema, actionSchemas } from '../actions/action-sets.ts';
import {
  idSchema,
  identifierSchema,
  jsonSchema,
  parsedJsonObjectSchema,
  parsedJsonValueSchema,
  timestampSchema,
} from '../primitives.schema.ts';
import { conditionSchema } from '../actions/condition.schema.ts';
import { egressBlockSchema, hostPatternSchema } from '../project/egress.schema.ts';
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
} from '../workflow/control-flow.schema.ts';
import { otherToolsAction } from '../workflow/foreign-keys.ts';
import { stepRetrySchema } from '../workflow/step-retry.schema.ts';
import { valueSchema } from '../workflow/value.schema.ts';
import { evidenceSchema } from '../actions/extraction.schema.ts';
import { locatorSchema } from '../actions/locator.schema.ts';
import { siteLimitWaitSchema } from '../project/politeness.schema.ts';
import { errorCodes } from '../errors/error-codes.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { artifactKindSchema, screenshotMomentSchema } from '../run/artifact.schema.ts';
import {
  callTierSchema,
  tierSchema,
  modelFinishSchema,
  modelRoleSchema,
  modelUsageSchema,
  promptRefSchema,
} from '../model/model.schema.ts';
import { runAnswerSchema, stepPathSchema, questionKeySchema, runQuestionSchema } from '../run/run-question.schema.ts';
import { dialogKindSchema, MAX_DIALOG_TEXT, controlTokenSchema } from '../control/control.schema.ts';

/** What a turn of an agent leads to, in words of its author: what is to be seen once its actions are done. */
export const expectationSchema = z
  .object({
    anchor: z.string().nullable().describe('What the title or the address has in it then; null: nothing is said'),
    indicators: z.array(z.string()).readonly().describe('Texts that the page shows then'),
  })
  .meta({ id: 'Expectation', description: 'What a turn of an agent is to lead to' });
export type Expectation = z.infer<typeof expectationSchema>;

/* What agents remember from one run of a workflow to the next. */

/** SHA-256, hex. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** One move of an agent: elements by their place in the list, from 0; what the run was given as templates. */
export const cachedActionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('act'), action: actionSchema, expects: expectationSchema.optional() }),
  z.object({ kind: z.literal('read') }),
  z.object({
    kind: z.literal('done'),
    claim: z.object({ answer: jsonSchema, anchor: z.string().nullable(), indicators: z.array(z.string()) }),
  }),
]);
export type CachedAction = z.infer<typeof cachedActionSchema>;

/** Largest turn that is remembered, in characters of JSON. */
const MAX_TURN = 16_000;

/** What an agent did on one page. */
export const cachedTurnSchema = z
  .array(cachedActionSchema)
  .min(1)
  .max(8)
  .refine((moves) => JSON.stringify(moves).length <= MAX_TURN, { error: 'Too long to be remembered' });
export type CachedTurn = z.infer<typeof cachedTurnSchema>;

/** Most turns of one step that are kept at a time. */
export const MAX_CACHED_TURNS = 50;

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

const stepRef = {
  step: z.int().min(0).describe('Number of the step in the run, from 0; without control flow its index'),
  path: stepPathSchema.optional(),
  id: z.string().nullable().describe('Its id'),
};

/** Characters of the message of an event. */
export const MAX_MESSAGE = 4000;

/** Most rows of a list that an event names, and characters of each. */
export const MAX_SEEN_ROWS = 60;
export const MAX_ROW_TEXT = 200;

/** Longest thought of an agent that is kept, in characters. */
export const MAX_THOUGHT = 8000;

/** The step that has branches, and a step of one of them. */
const branchRef = {
  ...stepRef,
  branch: z.string().describe('Name of the branch'),
  sequence: z.int().min(1).describe('Which step of the branch it is, in the order in which it came to them'),
  branchPath: stepPathSchema.optional().describe('Where it stands in the branch, when that is not its number'),
};

/** The step of an agent, and its turn in it, from 1; 0 is before the first. */
const agentRef = {
  ...stepRef,
  turn: z.int().min(0),
  branch: branchRef.branch.optional(),
  branchPath: branchRef.branchPath.describe('Where the goal stands in the branch'),
};

/**
 * What an agent is thinking, as far as its model has said it: told while the model speaks, and kept nowhere. What holds is the `agent.turn` of
 * the same turn, which comes once the model has ended; of a verdict the `agent.note`.
 */
export const agentThinkingSchema = z.object({
  step: stepRef.step,
  turn: z.int().min(1).describe('Turn of the agent in it'),
  branch: agentRef.branch,
  branchPath: agentRef.branchPath,
  subject: z.enum(['plan', 'verdict']).optional().describe('What is thought about, when it is not what to do next'),
  text: z.string().max(MAX_THOUGHT).describe('From its beginning'),
});
export type AgentThinking = z.infer<typeof agentThinkingSchema>;

/** What may heal a step, the cheapest first. */
export const healingMethods = ['earlier-run', 'similarity', 'text-model', 'vision-model', 'human'] as const;
export type HealingMethod = (typeof healingMethods)[number];

/** Data of each event, by type. */
export const eventData = {
  'run.queued': z.object({
    fleet: z.string(),
    priority: z.int(),
    retryOf: idSchema.nullable(),
    steps: z.int().optional().describe('Steps that the run comes to, each once; left out where control flow decides'),
  }),
  'run.assigned': z.object({ worker: z.string(), fleet: z.string() }),
  'run.requeued': z.object({ error: errorViewSchema, worker: z.string().nullable() }),
  'run.cancelling': z.object({ by: z.string() }),
  'run.awaiting_user': runQuestionSchema.extend({ key: questionKeySchema, until: timestampSchema }),
  'run.slot_released': z.object({ worker: z.string().nullable().describe('Name of the worker that had the run') }),
  'run.answered': runAnswerSchema,
  'run.completed': z.object({
    output: parsedJsonValueSchema.nullable(),
    durationMs: z.int().min(0).describe('Milliseconds since the first attempt began'),
    dismissedBy: z.string().optional().describe('Who ended the run while it waited for a person'),
  }),
  'run.failed': z.object({ error: errorViewSchema, step: z.int().min(0).nullable() }),
  'run.cancelled': z.object({ by: z.string() }),
  'step.started': z.object({
    ...stepRef,
    action: z.enum(stepActions),
    title: z.string(),
    summary: z.string(),
    attempt: z.int().min(2).optional().describe('Which attempt of the step it is; left out: the first'),
    verifiable: z
      .boolean()
      .optional()
      .describe('What is to be true after the step was not so before it: found later, it tells that the step happened'),
  }),
  'step.completed': z.object({
    ...stepRef,
    tier: tierSchema,
    durationMs: z.int().min(0).describe('Milliseconds from intent to outcome'),
    located: z
      .object({
        locator: z.string(),
        tried: z.int().min(1),
        alternatives: z
          .array(locatorSchema)
          .max(10)
          .optional()
          .describe('Other locators that would have found the same element'),
      })
      .nullable()
      .describe('Which locator of the chain found the element, and how many were tried'),
    value: parsedJsonValueSchema.optional().describe('What the step read'),
    evidence: evidenceSchema.optional(),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
  }),
  'step.healed': z.object({
    ...stepRef,
    tier: tierSchema,
    by: z
      .enum(healingMethods)
      .describe(
        '`earlier-run`: by a locator that found it in a former run; `similarity`: by role, name and what stands beside it; `text-model`: by a model that read the list of elements; `vision-model`: by one that saw the page; `human`: somebody pointed at it',
      ),
    element: z.string().max(500).describe('What was acted on, in words'),
    old: z.array(locatorSchema).min(1).max(10).describe('The locators that found nothing, as the workflow has them'),
    locators: z
      .array(locatorSchema)
      .max(10)
      .describe('Locators that find it now, as a workflow would have them, the sturdiest first; none: none that lasts'),
  }),
  'step.failed': z.object({
    ...stepRef,
    error: errorViewSchema,
    durationMs: z.int().min(0),
    tier: tierSchema.optional().describe('Highest tier that a goal had come to (default `replay`)'),
  }),
  'step.retrying': z.object({
    ...stepRef,
    attempt: z.int().min(1).describe('Which attempt of the step failed, from 1'),
    maxAttempts: z.int().min(2),
    errorCode: z.enum(errorCodes),
    error: errorViewSchema,
    durationMs: z.int().min(0).describe('Milliseconds the attempt took'),
    nextAttemptAt: timestampSchema.describe(
      'When the next attempt begins, unless the run ends or is handed over before',
    ),
  }),
  'step.skipped': z.object({ ...stepRef, reason: z.string() }),
  'branch.step_started': z.object({ ...branchRef, action: z.enum(stepActions), title: z.string() }),
  'branch.step_completed': z.object({
    ...branchRef,
    durationMs: z.int().min(0).describe('Milliseconds that it took'),
    error: errorViewSchema.nullable().describe('Why it did not happen; null: it did'),
    page: z
      .object({ url: z.string(), title: z.string() })
      .nullable()
      .describe('Where the page of the branch is afterwards'),
  }),
  'agent.turn': z.object({
    ...agentRef,
    thought: z.string().max(MAX_THOUGHT).describe('Why, in words of the model'),
    plannedActions: z.array(z.string()).max(20).describe('What it wants to do, in a line each'),
    expects: expectationSchema
      .optional()
      .describe('What is to be seen once all of it is done; left out: it did not say'),
    subGoals: z
      .string()
      .max(500)
      .optional()
      .describe('What is done of the goal and what is next, in words of the model; left out: as before'),
    source: z
      .enum(['model', 'cache'])
      .optional()
      .describe('`cache`: it is what worked on the same page before, and no model was asked (left out: model)'),
    prompt: promptRefSchema,
    tier: tierSchema.exclude(['human']).optional().describe('Left out by workers of before'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('What it saw'),
  }),
  'agent.action_started': z.object({
    ...agentRef,
    sequence: z.int().min(1).describe('Which action of the step it is'),
    action: actionSchema.describe('The action as it is carried out; secrets by their name'),
    title: z.string(),
    approval: z
      .string()
      .max(2000)
      .nullable()
      .optional()
      .describe('What a person approved before it; null: no approval was needed; left out by workers of before'),
  }),
  'agent.action_completed': z.object({
    ...agentRef,
    sequence: z.int().min(1),
    durationMs: z.int().min(0),
    error: errorViewSchema.nullable().describe('Why it did not happen; null: it did'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
    pageBefore: z
      .object({ url: z.string(), title: z.string(), height: z.int().min(0).describe('Pixels of the whole page') })
      .nullable()
      .describe('The page as it was seen before; null: it is not known'),
    locators: z
      .array(locatorSchema)
      .max(10)
      .describe('Ways to find its element again, the sturdiest first; none: it has no element, or none is known'),
    ends: z
      .array(locatorSchema)
      .max(10)
      .optional()
      .describe('Of a drag: ways to find again the element on which it ended'),
    rows: z
      .array(z.string().max(MAX_ROW_TEXT))
      .max(MAX_SEEN_ROWS)
      .optional()
      .describe('Texts of the rows that were in view before it; left out by workers of before'),
    effect: approvalEffectSchema
      .nullable()
      .describe('What of it cannot be taken back: `pay`, `delete`, `send`, `upload`'),
  }),
  'agent.answer_sources': z.object({
    ...agentRef,
    found: z
      .array(
        z.object({
          at: z.string().describe('JSON pointer into the answer'),
          locators: z.array(locatorSchema).min(1).max(10).describe('Ways to find the element that has this text'),
        }),
      )
      .describe('Parts of the answer that stand on the page as the whole text of one element'),
    missing: z.array(z.string()).describe('JSON pointers of the parts that do not'),
  }),
  'agent.note': z.object({
    ...agentRef,
    kind: z
      .enum([
        'problem',
        'repeated_turn',
        'page_changed',
        'approval_needed',
        'unverified',
        'verified',
        'approval_decision',
        'answer',
        'human_asked',
        'screenshot_described',
        'data_stored',
        'escalated',
        'replanned',
      ])
      .describe(
        '`problem`: the answer of the model could not be used; `repeated_turn`: the same actions on the same page; `page_changed`: the list of elements changed, and the rest of the turn is dropped; `approval_needed`: an action waits for approval; `unverified`, `verified`: result of a check; `approval_decision`: whether a person approves the action; `answer`: what a person answered; `human_asked`: nothing worked, and a person is asked; `screenshot_described`: what a screenshot shows, in words of a model; `data_stored`: data kept for later turns; `escalated`: the next turn uses a screenshot; `replanned`: the next plan, after no progress',
      ),
    note: z.string().max(MAX_THOUGHT),
    newlyMet: expectationSchema
      .optional()
      .describe(
        'With `verified`, of a turn: what of its expectation is to be seen that was not before it; of texts those that a condition finds',
      ),
    question: z.string().max(MAX_THOUGHT).optional().describe('With `answer`: the question of the agent'),
  }),
  'control.taken': z.object({ by: z.string(), token: controlTokenSchema }),
  'control.released': z.object({
    by: z.string().describe('Name of the person who had control'),
    token: controlTokenSchema,
    reason: z
      .enum(['released', 'idle', 'resumed'])
      .describe('`released`: by the person; `idle`: no input for too long; `resumed`: the run continued'),
  }),
  'dialog.opened': z.object({
    ...stepRef,
    dialog: idSchema.describe('Id of the dialog'),
    kind: dialogKindSchema,
    question: z.string().max(MAX_DIALOG_TEXT),
    text: z.string().max(MAX_DIALOG_TEXT).nullable().describe('The text that a prompt proposes; null: it is none'),
    multiple: z.boolean().optional().describe('true: the file chooser takes more than one file'),
    by: z.string().describe('The person in control, who is asked'),
    forMs: z.int().min(0).describe('Milliseconds for an answer; then it is dismissed'),
  }),
  'dialog.closed': z.object({
    ...stepRef,
    dialog: idSchema.describe('Id of the dialog'),
    accepted: z.boolean(),
    why: z
      .enum(['answered', 'expired', 'released', 'replaced', 'failed'])
      .describe(
        '`answered`: by the person in control; `expired`: not answered in time; `released`: control ended; `replaced`: the page opened ' +
          'another file chooser; `failed`: the files could not be given to the page',
      ),
  }),
  'control.action': z.object({
    ...stepRef,
    by: z.string().describe('Name of the person in control'),
    action: actionSchema.describe('The input as an action of a step'),
    title: z.string(),
    secret: z.boolean().describe('What was typed is not told: it went into a password field'),
    page: z.object({ url: z.string(), title: z.string() }).nullable().describe('Where the surface is afterwards'),
  }),
  'egress.blocked': egressBlockSchema.extend({
    step: z.int().min(0).nullable().describe('Number of the step that was at work'),
  }),
  'site_limit.waiting': siteLimitWaitSchema.extend({
    host: z.string().max(300),
    step: z.int().min(0).nullable().describe('Number of the step that waits to begin'),
  }),
  'site_limit.passed': siteLimitWaitSchema.extend({
    host: z.string().max(300),
    step: z.int().min(0).nullable().describe('Number of the step that waited'),
    durationMs: z.int().min(0).describe('Milliseconds it waited; they are not in the `durationMs` of the step'),
  }),
  'artifact.created': z.object({
    artifact: idSchema,
    step: z.int().min(0).nullable(),
    kind: artifactKindSchema,
    moment: screenshotMomentSchema.optional().describe('Of a screenshot'),
    name: z.string(),
    contentType: z.string(),
    size: z.int().min(0),
  }),
  'model.called': z.object({
    step: z.int().min(0).nullable().describe('Number of the step that asked'),
    role: modelRoleSchema,
    tier: callTierSchema.optional(),
    provider: z.string(),
    model: z.string(),
    prompt: promptRefSchema,
    dialect: z.string().optional().describe('How it was to write actions, where not by calling functions'),
    durationMs: z.int().min(0).describe('Milliseconds until the answer was there'),
    ...modelUsageSchema.shape,
    usd: z.number().min(0).nullable().describe('null: the price is not known'),
    finish: z
      .enum([...modelFinishSchema.options, 'invalid', 'outrun'])
      .describe(
        'Why the model stopped; `invalid`: what it answered could not be used; `outrun`: another call answered first, and its tokens are an estimate',
      ),
    trace: idSchema.optional().describe('The artifact with prompt and answer, where they are kept (`trace: full`)'),
  }),
  'run.log': z.object({ facts: parsedJsonObjectSchema }),
} as const;

/** What an agent did, as an attempt that takes over is told of it. */
export const agentEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.turn'), data: eventData['agent.turn'] }),
  z.object({ type: z.literal('agent.action_started'), data: eventData['agent.action_started'] }),
  z.object({ type: z.literal('agent.action_completed'), data: eventData['agent.action_completed'] }),
  z.object({ type: z.literal('agent.note'), data: eventData['agent.note'] }),
]);
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** Most of them that an assignment carries: those of some fifty turns. */
export const MAX_AGENT_EVENTS = 400;

/** Type of an event. */
export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]];

/** Data of one type of event. */
export type EventData<Type extends EventType> = z.infer<(typeof eventData)[Type]>;

/** Newest version of each event. */
export const eventVersions: Readonly<Record<EventType, number>> = {
  'run.queued': 1,
  'run.assigned': 1,
  'run.requeued': 1,
  'run.cancelling': 1,
  'run.awaiting_user': 1,
  'run.slot_released': 1,
  'run.answered': 1,
  'run.completed': 1,
  'run.failed': 1,
  'run.cancelled': 1,
  'step.started': 1,
  'step.completed': 1,
  'step.healed': 1,
  'step.failed': 1,
  'step.retrying': 1,
  'step.skipped': 1,
  'branch.step_started': 1,
  'branch.step_completed': 1,
  'agent.turn': 1,
  'agent.action_started': 1,
  'agent.action_completed': 2,
  'agent.answer_sources': 1,
  'agent.note': 2,
  'control.taken': 1,
  'control.released': 1,
  'dialog.opened': 1,
  'dialog.closed': 1,
  'control.action': 1,
  'egress.blocked': 1,
  'site_limit.waiting': 1,
  'site_limit.passed': 1,
  'artifact.created': 1,
  'model.called': 1,
  'run.log': 1,
};

/** Events after which a run has no more. */
export const terminalEvents: ReadonlySet<EventType> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** Events a worker may write; the others are written by the house. */
export const workerEvents: ReadonlySet<EventType> = new Set([
  'step.started',
  'step.completed',
  'step.healed',
  'step.failed',
  'step.retrying',
  'step.skipped',
  'branch.step_started',
  'branch.step_completed',
  'agent.turn',
  'agent.action_started',
  'agent.action_completed',
  'agent.answer_sources',
  'agent.note',
  'dialog.opened',
  'dialog.closed',
  'control.action',
  'egress.blocked',
  'site_limit.waiting',
  'site_limit.passed',
  'run.log',
]);

export const eventLevelSchema = z.enum(['debug', 'info', 'warn', 'error']);
export type EventLevel = z.infer<typeof eventLevelSchema>;

/** What every event has, whoever sends it. */
const envelope = {
  type: z.enum(eventTypes),
  v: z.int().min(1).describe('Version of `data`'),
  level: eventLevelSchema,
  message: z.string().max(MAX_MESSAGE).describe('One line for people'),
  at: timestampSchema.describe('When it happened, by the clock of who saw it'),
};

/** An event as a worker sends it: `sequence` counts the events of one attempt from 1, so that one sent again is known. */
export const newEventSchema = z.object({ ...envelope, data: parsedJsonObjectSchema, sequence: z.int().min(1) });
export type NewEvent = z.infer<typeof newEventSchema>;

/** An event of a run: `seq` counts the events of the run from 1 without a gap. */
export const runEventSchema = z
  .object({
    ...envelope,
    data: z.record(z.string(), jsonSchema).describe('Facts, by type and version'),
    seq: z.int().min(1),
    run: idSchema,
    epoch: z.int().min(0),
  })
  .meta({ id: 'RunEvent', description: 'One numbered, versioned fact about a run' });
export type RunEvent = z.infer<typeof runEventSchema>;
