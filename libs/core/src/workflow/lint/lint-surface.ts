import { actionNames, surfaceActions, type ActionName } from '@pilothouse/contract/actions/action-sets';
import { unsupportedFieldMessage, unsupportedFieldsOf } from '@pilothouse/contract/actions/surface-fields';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { surfaceKindSchema, type SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { LintedWorkflow } from './lint-references.ts';
import { escapePointer } from '../templates.ts';

/** Steps besides actions that only a browser supports. */
const browserOnlySteps: ReadonlySet<string> = new Set(['saveProfile', 'paginate']);

const isActionName = (name: string): name is ActionName => (actionNames as readonly string[]).includes(name);

/** Steps, locators, conditions and options that the surface of the workflow does not have. A called workflow uses that of its caller. */
export function surfaceErrors({
  surface = 'browser',
  steps,
  workflows = {},
  browser,
  desktop,
}: LintedWorkflow): FieldError[] {
  const lists = [
    { base: '/steps', list: steps },
    ...Object.entries(workflows).map(([name, called]) => ({
      base: `/workflows/${escapePointer(name)}/steps`,
      list: called.steps,
    })),
  ];
  const stepErrors = lists.flatMap(({ base, list }) =>
    [...walkAllNodes(list)].flatMap(({ node, path }) => {
      const pointer = `${base}/${path.join('/')}`;
      const detail = stepProblem(surface, node.action);
      if (detail !== null) return [{ pointer: `${pointer}/action`, detail }];
      const unsupportedFields = [...unsupportedFieldsOf(surface, node)].map((field) => ({
        pointer: `${pointer}/${field.path.join('/')}`,
        detail: unsupportedFieldMessage(surface, field),
      }));
      return node.action === 'goal' && node.apps !== undefined && surface !== 'desktop'
        ? [
            { pointer: `${pointer}/apps`, detail: `\`apps\` is not supported on the ${surface} surface: remove it` },
            ...unsupportedFields,
          ]
        : unsupportedFields;
    }),
  );
  const settings = { browser, desktop };
  const settingErrors = (['browser', 'desktop'] as const).flatMap((name) =>
    name === surface || settings[name] === undefined
      ? []
      : [
          {
            pointer: `/${name}`,
            detail: `\`${name}\` settings are not supported on the ${surface} surface: remove them`,
          },
        ],
  );
  return [...settingErrors, ...stepErrors];
}

/** Surfaces that support a step. */
export const surfacesOfStep = (action: string): readonly SurfaceKind[] =>
  surfaceKindSchema.options.filter((surface) => stepProblem(surface, action) === null);

function stepProblem(surface: SurfaceKind, action: string): string | null {
  if (isActionName(action))
    return surfaceActions[surface].has(action)
      ? null
      : `\`${action}\` is not supported on the ${surface} surface: use another action`;
  if (surface === 'browser') return null;
  return browserOnlySteps.has(action)
    ? `\`${action}\` is not supported on the ${surface} surface: use another action`
    : null;
}
