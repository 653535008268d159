import { actionNames, type ActionName } from '@pilothouse/contract/actions/action-sets';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { unsupportedFieldMessage, unsupportedFieldsOf } from '@pilothouse/contract/actions/surface-fields';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { surfaceKindSchema, type SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { LintedWorkflow } from './lint-references.ts';
import { escapePointer } from '../templates.ts';

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
      return node.action === 'goal' && node.apps !== undefined && surfaceSupport[surface].goalStart !== 'apps'
        ? [
            { pointer: `${pointer}/apps`, detail: `\`apps\` is not supported on the ${surface} surface: remove it` },
            ...unsupportedFields,
          ]
        : unsupportedFields;
    }),
  );
  const settings = { browser, desktop };
  const settingErrors = surfaceKindSchema.options.flatMap((name) =>
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
  const { actions, unsupportedSteps } = surfaceSupport[surface];
  const isSupported = isActionName(action) ? actions.has(action) : !unsupportedSteps.has(action);
  return isSupported ? null : `\`${action}\` is not supported on the ${surface} surface: use another action`;
}
