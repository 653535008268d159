import {
  walkNodes,
  walkAllNodes,
  firstStepIn,
  actionsNotInBranches,
  pageBranchesOf,
  type BranchNode,
  type FieldError,
} from '@pilothouse/contract';
import { walkReachableNodes } from '../reached.ts';
import { escapePointer } from '../template.ts';
import type { LintedWorkflow } from './known.ts';

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

/** A profile is saved under the name of the one that the browser begins with, or under one that the step says. */
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

/** What a branch calls begins with a page of its own, and does nothing that no branch does. Of workflows of the project that is known at submit. */
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
  // One that leads back to itself is refused as a circle.
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
