import {
  type BranchNode,
  type FieldError,
  PilothouseError,
  type WorkflowDefinition,
  type WorkflowNode,
  actionsNotInBranches,
  firstStepIn,
  pageBranchesOf,
  walkAllNodes,
  walkNodes,
} from '@pilothouse/contract';
import { inputValueSchema } from '../workflow-io.ts';
import { typeMismatch, nodeValueType } from '../step-types.ts';
import { type FoundTemplate, escapePointer, forEachString, parseTemplate } from '../templates.ts';
import { walkReachableNodes } from '../step-effects.ts';

/** Parts of a workflow that are linted. */
export type LintedWorkflow = Pick<
  WorkflowDefinition,
  'inputs' | 'steps' | 'output' | 'outputSchema' | 'workflows' | 'browser'
>;

/** Names in scope at a place of a workflow. */
export interface NamesInScope {
  readonly definition: LintedWorkflow;
  /** Steps and blocks with an id, with their turn in the file. */
  readonly ids: ReadonlyMap<string, { readonly node: WorkflowNode; readonly turn: number }>;
  /** Turn of the place. */
  readonly turn: number;
  /** Ids of the blocks around it: their value is not there yet. */
  readonly around: readonly string[];
  readonly vars: ReadonlySet<string>;
}

/** Expressions see the names of templates, except the epoch of the run. */
export function nameErrors(known: NamesInScope, path: readonly string[], pointer: string): FieldError[] {
  const [root, name, third] = path;
  const source = path.join('.');
  if (root === undefined || name === undefined) return [];
  // The epoch differs between attempts, which would then take different paths.
  if (root === 'run' && name !== 'id') {
    return [{ pointer, detail: `${source}: of a run expressions know run.id` }];
  }
  if (root === 'steps' && third !== undefined && third !== 'value') {
    return [{ pointer, detail: `${source}: the value of a step is steps.${name}.value` }];
  }
  return templateErrors(known, { path: [root, name, ...path.slice(2)], pointer, source }, false);
}

/** @param secretAllowed whether the template may refer to a secret */
export function templateErrors(
  known: NamesInScope,
  { path, pointer, source }: FoundTemplate,
  secretAllowed: boolean,
): FieldError[] {
  const { definition, ids, turn, around, vars } = known;
  const { inputs } = definition;
  const problem = (detail: string) => [{ pointer, detail: `${source}: ${detail}` }];
  const [root, name] = path;
  if (root === 'run') return [];
  if (root === 'vars')
    return vars.has(name) ? [] : problem(`there is no variable "${name}" here; there are: ${joinNames([...vars])}`);
  if (root === 'inputs') {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) return problem(`there is no input "${name}"; there are: ${joinNames(Object.keys(inputs))}`);
    if (input.secret && !secretAllowed)
      return problem(
        'a secret may stand only in the text of a `fill` or `type` step, in the `goal` of an agent, in headers and body of an `http` step, and in `browser.httpCredentials`',
      );
    const why = typeMismatch(inputValueSchema(input), path.slice(2));
    return why ? problem(why) : [];
  }
  const readers = [...ids].flatMap(([id, one]) =>
    one.turn < turn && nodeValueType(one.node, definition.workflows) ? [id] : [],
  );
  const one = ids.get(name);
  if (!one) return problem(`there is no step "${name}"; before this there are, with a value: ${joinNames(readers)}`);
  if (one.turn === turn || around.includes(name)) return problem('a step cannot use its own value');
  if (one.turn > turn) return problem(`step "${name}" comes later`);
  const shape = nodeValueType(one.node, definition.workflows);
  if (!shape) return problem(`step "${name}" is a ${one.node.action} step; only steps that read have a value`);
  const why = typeMismatch(shape, path.slice(3));
  return why ? problem(why) : [];
}

/** Names in a sentence. */
export const joinNames = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));

/** The templates in all texts of a value, and those that are not templates. */
export function lintTemplates(value: unknown, base: string): { found: FoundTemplate[]; problems: FieldError[] } {
  const found: FoundTemplate[] = [];
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      try {
        for (const part of parseTemplate(text)) if (part.kind === 'template') found.push({ ...part, pointer });
      } catch (thrown) {
        if (!(thrown instanceof PilothouseError)) throw thrown;
        problems.push({ pointer, detail: thrown.message });
      }
    },
    base,
  );
  return { found, problems };
}

/** Workflows that call each other in a circle would never end. */
export function callCycleErrors(workflows: NonNullable<LintedWorkflow['workflows']>): FieldError[] {
  const callsOf = (name: string) =>
    [...walkAllNodes(workflows[name]?.steps ?? [])].flatMap(({ node, path }) =>
      node.action === 'call' ? [{ to: node.workflow, path }] : [],
    );
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    from === to || (!seen.has(from) && (seen.add(from), callsOf(from).some((call) => reaches(call.to, to, seen))));
  return Object.keys(workflows).flatMap((name) =>
    callsOf(name)
      .filter(({ to }) => reaches(to, name, new Set()))
      .map(({ to, path }) => ({
        pointer: `/workflows/${escapePointer(name)}/steps/${path.join('/')}/workflow`,
        detail: `${name} calls ${to}, which leads back to ${name}: calls must not go round in a circle`,
      })),
  );
}

/** Checks that `saveProfile` has a name, or that the browser starts with a profile. */
export function profileErrors(checked: LintedWorkflow): FieldError[] {
  if (checked.browser?.profile !== undefined) return [];
  return listsIn(checked).flatMap(({ base, list }) =>
    [...walkNodes(list)].flatMap(({ node, path }) =>
      node.action === 'saveProfile' && node.name === undefined
        ? [
            {
              pointer: `${base}/${path.join('/')}/name`,
              detail: 'Say under which name: the workflow has no `browser.profile`',
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
export function branchErrors(checked: LintedWorkflow): FieldError[] {
  return listsIn(checked).flatMap(({ base, list }) =>
    [...walkAllNodes(list)].flatMap(({ node, path }) =>
      node.action === 'parallel'
        ? pageBranchesOf(node).flatMap(([name, nodes]) =>
            callProblems(nodes, checked.workflows, `${base}/${[...path, 'branches', name].join('/')}`),
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
  const left = new Map(Object.entries(workflows));
  const stepsOnce = (workflow: string) => {
    const called = left.get(workflow);
    left.delete(workflow);
    return called?.steps;
  };
  const begins = firstStepIn(nodes, stepsOnce)?.action ?? 'call';
  return calls.flatMap(({ node, path }) => {
    const problem = (detail: string) => [{ pointer: `${base}/${path.join('/')}/workflow`, detail }];
    const no = [...walkReachableNodes([node], workflows)].find(({ action }) => actionsNotInBranches.has(action));
    if (no) return problem(`${node.workflow} comes to a \`${no.action}\` step, which a branch cannot carry out`);
    return node === first && begins !== 'navigate' && begins !== 'call'
      ? problem(`A branch begins on an empty page: the first step of ${node.workflow} has to be \`navigate\``)
      : [];
  });
}

const listsIn = ({ steps, workflows = {} }: LintedWorkflow) => [
  { base: '/steps', list: steps },
  ...Object.entries(workflows).map(([name, called]) => ({
    base: `/workflows/${escapePointer(name)}/steps`,
    list: called.steps,
  })),
];
