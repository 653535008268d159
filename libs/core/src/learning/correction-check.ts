import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { unsupportedFieldMessage, unsupportedFieldsOf } from '@pilothouse/contract/actions/surface-fields';
import { correctedActionsSchema, type CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';

/* A correction has to be possible on the page that the turn observed. */

/** One problem of a correction. @property path path from the list of actions */
export interface CorrectionProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The valid actions, or null and the problems. */
export type CheckedCorrection =
  | { readonly actions: readonly CorrectedAction[]; readonly problems: readonly [] }
  | { readonly actions: null; readonly problems: readonly CorrectionProblem[] };

type ObservedTurn = Pick<TurnRecord, 'surface'> & {
  readonly observation: Pick<TurnRecord['observation'], 'elements' | 'viewport'>;
};

/**
 * Checks a correction: actions of the surface, elements of the observed list, points inside of their element.
 * Points of the viewport are in thousandths, so that their schema keeps them inside.
 */
export function checkCorrection(correction: unknown, turn: ObservedTurn): CheckedCorrection {
  const parsed = correctedActionsSchema.safeParse(correction);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ path: path as (string | number)[], message }));
    return { actions: null, problems };
  }
  const problems = parsed.data.flatMap((correctedAction, index) =>
    correctedAction.kind === 'act'
      ? [...actionProblems(correctedAction.action, turn)].map(({ path, message }) => ({
          path: [index, 'action', ...path],
          message,
        }))
      : [],
  );
  return problems.length > 0 ? { actions: null, problems } : { actions: parsed.data, problems: [] };
}

type SurfaceAction = Extract<CorrectedAction, { kind: 'act' }>['action'];

function* actionProblems(action: SurfaceAction, { surface, observation }: ObservedTurn): Generator<CorrectionProblem> {
  if (!surfaceSupport[surface].actions.has(action.action))
    yield { path: ['action'], message: `The ${surface} surface has no action \`${action.action}\`: use another one` };
  for (const field of unsupportedFieldsOf(surface, action))
    yield { path: field.path, message: unsupportedFieldMessage(surface, field) };
  for (const { path, index } of elementIndexesIn(action)) {
    if (!observation.elements.some((element) => element.index === index))
      yield { path, message: `The turn observed no element ${index}: use an index of its element list` };
  }
  yield* positionProblems(action, observation.elements);
}

/** Points in an element have to be inside of its bounds. */
function* positionProblems(
  action: SurfaceAction,
  elements: ObservedTurn['observation']['elements'],
): Generator<CorrectionProblem> {
  const fields: Readonly<Record<string, unknown>> = { ...action };
  for (const [name, target] of [
    ['position', action.action === 'drag' ? fields['to'] : fields['target']],
    ['fromPosition', fields['target']],
  ] as const) {
    const point = fields[name] as { x: number; y: number } | undefined;
    const [index] = [...elementIndexesIn(target)].map((found) => found.index);
    const bounds = elements.find((element) => element.index === index)?.bounds;
    if (point && bounds && (point.x > bounds.width || point.y > bounds.height))
      yield {
        path: [name],
        message: `The point is outside of element ${index}: use at most ${bounds.width}, ${bounds.height}`,
      };
  }
}

/** Yields the element indexes in a value with their paths. */
function* elementIndexesIn(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<{ path: readonly (string | number)[]; index: number }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const partPath = [...path, Array.isArray(value) ? Number(key) : key];
    if (key === 'elementIndex' && typeof part === 'number') yield { path: partPath, index: part };
    else yield* elementIndexesIn(part, partPath);
  }
}
