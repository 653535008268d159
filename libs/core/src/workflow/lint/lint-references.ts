import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { didYouMean } from '@pilothouse/contract/nearest';
import { firstStepIn, walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { type BranchNode, actionsNotInBranches } from '@pilothouse/contract/workflow/parallel.schema';
import { pageBranchesOf } from '@pilothouse/contract/workflow/step.schema';
import { type WorkflowNode, walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { inputValueSchema } from '../workflow-io.ts';
import { typeMismatch, nodeValueType } from '../step-types.ts';
import { type FoundTemplate, escapePointer, forEachString, parseTemplate } from '../templates.ts';
import { walkReachableNodes } from '../step-effects.ts';

/** Parts of a workflow that are linted. */
export type LintedWorkflow = Pick<
  WorkflowDefinition,
  'inputs' | 'steps' | 'output' | 'outputSchema' | 'workflows' | 'browser' | 'desktop'
> &
  Partial<Pick<WorkflowDefinition, 'surface'>>;

/** Names in scope at a position of a workflow. */
export interface NamesInScope {
  readonly definition: LintedWorkflow;
  /** Steps and blocks with an id, with their order in the file. */
  readonly ids: ReadonlyMap<string, { readonly node: WorkflowNode; readonly order: number }>;
  /** Position in document order. */
  readonly order: number;
  /** Ids of the enclosing blocks, which have no value yet. */
  readonly enclosingIds: readonly string[];
  readonly vars: ReadonlySet<string>;
}

/** Expressions see the names of templates, except the epoch of the run. */
export function nameErrors(scope: NamesInScope, path: readonly string[], pointer: string): FieldError[] {
  const [root, name, third] = path;
  const source = path.join('.');
  if (root === undefined || name === undefined) return [];
  // The epoch differs between attempts, which would then take different paths.
  if (root === 'run' && name !== 'id') {
    return [{ pointer, detail: `${source}: expressions can use only run.id` }];
  }
  if (root === 'steps' && third !== undefined && third !== 'value') {
    return [{ pointer, detail: `${source}: use steps.${name}.value for the value of a step` }];
  }
  return templateErrors(scope, { path: [root, name, ...path.slice(2)], pointer, source }, false);
}

/** @param secretAllowed true: the template may refer to a secret */
export function templateErrors(
  scope: NamesInScope,
  { path, pointer, source }: FoundTemplate,
  secretAllowed: boolean,
): FieldError[] {
  const { definition, ids, order, enclosingIds, vars } = scope;
  const { inputs } = definition;
  const problem = (detail: string) => [{ pointer, detail: `${source}: ${detail}` }];
  const [root, name] = path;
  const unknown = (noun: string, list: string, names: readonly string[]) => {
    const suggestion = didYouMean(name, names);
    return problem(`unknown ${noun} "${name}".${suggestion ? ` ${suggestion}` : ''} ${list}: ${joinNames(names)}`);
  };
  if (root === 'run') return [];
  if (root === 'vars') return vars.has(name) ? [] : unknown('variable', 'Variables at this step', [...vars]);
  if (root === 'inputs') {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) return unknown('input', 'Inputs', Object.keys(inputs));
    if (input.secret && !secretAllowed)
      return problem(
        'a secret is allowed only in `text` of `fill` and `type`, in `goal`, in `headers`, `body` and `json` of `http`, and in `browser.httpCredentials`',
      );
    const mismatch = typeMismatch(inputValueSchema(input), path.slice(2));
    return mismatch ? problem(mismatch) : [];
  }
  const stepsWithValue = [...ids].flatMap(([id, entry]) =>
    entry.order < order && nodeValueType(entry.node, definition.workflows) ? [id] : [],
  );
  const step = ids.get(name);
  if (!step) return unknown('step', 'Earlier steps with a value', stepsWithValue);
  if (step.order === order || enclosingIds.includes(name))
    return problem('a step cannot use its own value: use that of an earlier step');
  if (step.order > order) return problem(`step "${name}" comes later: use a value of an earlier step`);
  const valueType = nodeValueType(step.node, definition.workflows);
  if (!valueType)
    return problem(
      `a ${step.node.action} step such as "${name}" has no value: use a step that reads, e.g. \`extract\``,
    );
  const mismatch = typeMismatch(valueType, path.slice(3));
  return mismatch ? problem(mismatch) : [];
}

/** Problems, each once. */
export const uniqueErrors = (problems: readonly FieldError[]): FieldError[] => [
  ...new Map(problems.map((problem) => [`${problem.pointer} ${problem.detail}`, problem])).values(),
];

/** Joins names for a message: `none`, `a` or `a, b`. */
export const joinNames = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));

/** Templates in all texts of a value, and problems of invalid ones. */
export function lintTemplates(value: unknown, base: string): { templates: FoundTemplate[]; problems: FieldError[] } {
  const templates: FoundTemplate[] = [];
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      try {
        for (const part of parseTemplate(text)) if (part.kind === 'template') templates.push({ ...part, pointer });
      } catch (thrown) {
        if (!(thrown instanceof PilothouseError)) throw thrown;
        problems.push({ pointer, detail: thrown.message });
      }
    },
    base,
  );
  return { templates, problems };
}

/** Recursive calls are not allowed. */
export function callCycleErrors(workflows: NonNullable<LintedWorkflow['workflows']>): FieldError[] {
  const callsOf = (name: string) =>
    [...walkAllNodes(workflows[name]?.steps ?? [])].flatMap(({ node, path }) =>
      node.action === 'call' ? [{ to: node.workflow, path }] : [],
    );
  const canReach = (caller: string, target: string, visitedNames: Set<string>): boolean =>
    caller === target ||
    (!visitedNames.has(caller) &&
      (visitedNames.add(caller), callsOf(caller).some((call) => canReach(call.to, target, visitedNames))));
  return Object.keys(workflows).flatMap((name) =>
    callsOf(name)
      .filter(({ to: callee }) => canReach(callee, name, new Set()))
      .map(({ to: callee, path }) => ({
        pointer: `/workflows/${escapePointer(name)}/steps/${path.join('/')}/workflow`,
        detail: `${name} calls ${callee}, which calls ${name} again: remove the recursive call`,
      })),
  );
}

/** Checks that `saveProfile` has a name, or that the browser starts with a profile. */
export function profileErrors(definition: LintedWorkflow): FieldError[] {
  if (definition.browser?.profile !== undefined) return [];
  return listsIn(definition).flatMap(({ base, list }) =>
    [...walkNodes(list)].flatMap(({ node, path }) =>
      node.action === 'saveProfile' && node.name === undefined
        ? [
            {
              pointer: `${base}/${path.join('/')}/name`,
              detail: 'The profile has no name: set `name`, or `browser.profile` of the workflow',
            },
          ]
        : [],
    ),
  );
}

/**
 * Checks workflows that a branch calls: they start with their own page and use only actions of branches. Workflows of the project are
 * checked at submit.
 */
export function branchErrors(definition: LintedWorkflow): FieldError[] {
  return listsIn(definition).flatMap(({ base, list }) =>
    [...walkAllNodes(list)].flatMap(({ node, path }) =>
      node.action === 'parallel'
        ? pageBranchesOf(node).flatMap(([name, nodes]) =>
            callProblems(nodes, definition.workflows, `${base}/${[...path, 'branches', name].join('/')}`),
          )
        : [],
    ),
  );
}

function callProblems(
  nodes: readonly BranchNode[],
  workflows: LintedWorkflow['workflows'] = {},
  base: string,
): FieldError[] {
  const calls = [...walkNodes(nodes)].flatMap(({ node, path }) => (node.action === 'call' ? [{ node, path }] : []));
  const first = firstStepIn(nodes);
  // Recursive calls are reported as cycles.
  const unvisited = new Map(Object.entries(workflows));
  const stepsOnce = (workflow: string) => {
    const subworkflow = unvisited.get(workflow);
    unvisited.delete(workflow);
    return subworkflow?.steps;
  };
  const firstAction = firstStepIn(nodes, stepsOnce)?.action ?? 'call';
  return calls.flatMap(({ node, path }) => {
    const problem = (detail: string) => [{ pointer: `${base}/${path.join('/')}/workflow`, detail }];
    const forbiddenStep = [...walkReachableNodes([node], workflows)].find(({ action }) =>
      actionsNotInBranches.has(action),
    );
    if (forbiddenStep)
      return problem(
        `${node.workflow} has a \`${forbiddenStep.action}\` step, which a branch does not support: call it outside of the branch`,
      );
    return node === first && firstAction !== 'navigate' && firstAction !== 'call'
      ? problem(`A branch begins on an empty page: make \`navigate\` the first step of ${node.workflow}`)
      : [];
  });
}

const listsIn = ({ steps, workflows = {} }: LintedWorkflow) => [
  { base: '/steps', list: steps },
  ...Object.entries(workflows).map(([name, subworkflow]) => ({
    base: `/workflows/${escapePointer(name)}/steps`,
    list: subworkflow.steps,
  })),
];
