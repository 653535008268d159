import { eachNode, type FieldProblem } from '@pilothouse/contract';
import { escapePointer } from '../template.ts';
import type { Checked } from './known.ts';

/** Workflows that call each other in a circle would never end. */
export function circleProblems(workflows: NonNullable<Checked['workflows']>): FieldProblem[] {
  const callsOf = (name: string) =>
    [...eachNode(workflows[name]?.steps ?? [])].flatMap(({ node, path }) =>
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
export function profileProblems({ browser, steps, workflows = {} }: Checked): FieldProblem[] {
  if (browser?.profile !== undefined) return [];
  const lists = [
    { base: '/steps', list: steps },
    ...Object.entries(workflows).map(([name, called]) => ({
      base: `/workflows/${escapePointer(name)}/steps`,
      list: called.steps,
    })),
  ];
  return lists.flatMap(({ base, list }) =>
    [...eachNode(list)].flatMap(({ node, path }) =>
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
