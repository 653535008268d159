import { z } from 'zod';
import { identifierSchema } from '../primitives.schema.ts';
import { type Flow, type FlowInput, call, controlBlocksOver, firstStepIn, walkNodes } from './control-flow.schema.ts';
import { foreignActionHint } from '../errors/foreign-keys.ts';
import { goalStepSchema } from './goal.schema.ts';
import { httpStepSchema, simpleSteps, stepFields } from './simple-steps.schema.ts';

/** Maximum branches of one step. */
export const MAX_BRANCHES = 20;

/** Maximum steps of one branch. */
export const MAX_BRANCH_STEPS = 100;

/** Default number of branches with a page that run at the same time. */
export const DEFAULT_MAX_PARALLEL = 4;

/** Actions that a branch and its called workflows must not use: all pages of the run share their state. */
export const actionsNotInBranches: ReadonlySet<string> = new Set([
  'parallel',
  'saveProfile',
  'readClipboard',
  'writeClipboard',
]);

const BRANCH_STEPS =
  'A branch cannot contain `parallel`, `saveProfile`, `readClipboard` or `writeClipboard`: move the step out of the branch';

const branchStepSchemas = [...simpleSteps, goalStepSchema.safeExtend(stepFields)] as const;
type BranchStepSchema = (typeof branchStepSchemas)[number];

/** A step of a branch with its own page. */
export type BranchStep = z.infer<BranchStepSchema>;

interface BranchItem {
  readonly item: BranchNode;
}
interface BranchItemInput {
  readonly item: BranchNodeInput;
}

/** A step of a branch, or a control flow block in it. */
export type BranchNode = BranchStep | Flow<BranchItem> | z.infer<typeof call>;
type BranchNodeInput = z.input<BranchStepSchema> | FlowInput<BranchItemInput> | z.input<typeof call>;

const branchListSchema: z.ZodType<BranchNode[], BranchNodeInput[]> = z.lazy(() =>
  z.array(branchNodeSchema).min(1, 'Give at least one step'),
);
const branchCatchSchema: z.ZodType<BranchNode[], BranchNodeInput[]> = z.lazy(() => z.array(branchNodeSchema));

const branchNodeSchema: z.ZodType<BranchNode, BranchNodeInput> = z
  .discriminatedUnion(
    'action',
    [...branchStepSchemas, ...controlBlocksOver(branchListSchema, branchCatchSchema), call],
    {
      error: (issue) => (issue.code === 'invalid_union' ? (foreignActionHint(issue.input) ?? BRANCH_STEPS) : undefined),
    },
  )
  .meta({ id: 'BranchNode', description: 'A step of a branch, or a control flow block' });

const pageBranchSchema = z
  .array(branchNodeSchema)
  .min(1, 'Give at least one step')
  .superRefine((nodes, context) => {
    const addIssue = (path: readonly (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    const allNodes = [...walkNodes(nodes)];
    if (allNodes.length > MAX_BRANCH_STEPS)
      addIssue([], `A branch can have at most ${MAX_BRANCH_STEPS} steps: use fewer`);
    const first = firstStepIn(nodes);
    // The first step of a called workflow is checked where all workflows are known.
    if (first?.action !== 'navigate' && first?.action !== 'call') {
      const path = allNodes.find(({ node }) => node === first)?.path ?? [0];
      addIssue([...path, 'action'], 'A branch begins on an empty page: make `navigate` its first step');
    }
    for (const { node, path } of allNodes) {
      if (actionsNotInBranches.has(node.action)) addIssue([...path, 'action'], BRANCH_STEPS);
      for (const field of ['heal', 'onInterrupted', 'approval', 'retry'] as const)
        if (field in node && node[field as never] !== undefined)
          addIssue(
            [...path, field],
            `\`${field}\` is not supported in a branch: remove it, or set it on the \`parallel\` step`,
          );
    }
  })
  .meta({ id: 'PageBranch', description: 'A branch with its own page: steps in order' });

const requestBranchSchema = httpStepSchema.meta({ id: 'Branch', description: 'A branch without a page: one request' });

/** A request, without the fields of a step. */
export type HttpRequestStep = z.infer<typeof requestBranchSchema>;

/** A step that runs several branches at the same time. */
export const parallelStepSchema = z
  .strictObject({
    action: z
      .literal('parallel')
      .describe('Run branches at the same time. The value is an object with the value of each branch by name'),
    branches: z
      .record(identifierSchema, z.union([requestBranchSchema, pageBranchSchema]))
      .refine((branches) => Object.keys(branches).length >= 2, { error: 'Give at least two branches' })
      .refine((branches) => Object.keys(branches).length <= MAX_BRANCHES, {
        error: `A \`parallel\` step can have at most ${MAX_BRANCHES} branches: use fewer`,
      })
      .describe('Branches by name: a list of steps with its own page, or one `http` request'),
    maxParallel: z
      .int()
      .min(1)
      .max(MAX_BRANCHES)
      .optional()
      .describe(`Maximum number of branches with a page that run at the same time (default: ${DEFAULT_MAX_PARALLEL})`),
  })
  .safeExtend(stepFields);

/** A branch of a `parallel` step. */
export type Branch = z.infer<typeof parallelStepSchema>['branches'][string];

/** True if a branch has its own page. */
export const hasOwnPage = (branch: Branch): branch is BranchNode[] => Array.isArray(branch);
