import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { unsupportedFieldMessage, unsupportedFieldsOf } from '@pilothouse/contract/actions/surface-fields';
import { MAX_EVIDENCE, correctedActionsSchema, type CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { answerParts } from '../agent/claim-evidence.ts';
import { unmetExpectation } from '../agent/goal-verification.ts';
import { evidenceTextOf, missingTexts, type ObservedPage } from '../agent/observed-text.ts';

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
  readonly observation: Pick<TurnRecord['observation'], 'elements' | 'viewport' | 'url' | 'title' | 'text'>;
};

/**
 * Checks a correction: actions of the surface, elements of the observed list, points inside of their element, evidence of a claim.
 * Points of the viewport are in thousandths, so that their schema keeps them inside.
 */
export function checkCorrection(correction: unknown, turn: ObservedTurn): CheckedCorrection {
  const parsed = correctedActionsSchema.safeParse(correction);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ path: path as (string | number)[], message }));
    return { actions: null, problems };
  }
  const problems: CorrectionProblem[] = [];
  const actions = parsed.data.map((correctedAction, index) => {
    if (correctedAction.kind === 'act')
      for (const { path, message } of actionProblems(correctedAction.action, turn))
        problems.push({ path: [index, 'action', ...path], message });
    if (correctedAction.kind !== 'done') return correctedAction;
    const { completed, problem } = completeClaim(correctedAction, turn);
    if (problem) problems.push({ path: [index, ...problem.path], message: problem.message });
    return completed;
  });
  return problems.length > 0 ? { actions: null, problems } : { actions, problems: [] };
}

type CorrectedClaim = Extract<CorrectedAction, { kind: 'done' }>;

/** Indicators that are taken from an answer. */
const MAX_ANSWER_INDICATORS = 5;

/**
 * Adds anchor and indicators from the page if the claim has none: a model that trains on claims without evidence learns
 * to claim too early. Given evidence has to be on the page.
 */
export function completeClaim(
  claim: CorrectedClaim,
  { observation }: Pick<ObservedTurn, 'observation'>,
): { readonly completed: CorrectedClaim; readonly problem?: CorrectionProblem } {
  const { title, url } = observation;
  const { anchor = (title || url).slice(0, MAX_EVIDENCE), indicators = shownValues(claim.answer, observation) } = claim;
  if (indicators.length === 0)
    return { completed: claim, problem: { path: ['indicators'], message: MISSING_INDICATORS } };
  const completed = { ...claim, ...(anchor !== '' && { anchor }), indicators };
  const { anchor: missingAnchor, indicators: missing } = unmetExpectation({ anchor, indicators }, pageOf(observation));
  if (missingAnchor !== null)
    return { completed, problem: { path: ['anchor'], message: 'Title and URL do not contain it: use a part of them' } };
  const index = indicators.findIndex((indicator) => missing.includes(indicator));
  return index === -1
    ? { completed }
    : { completed, problem: { path: ['indicators', index], message: 'The page does not show this text' } };
}

const MISSING_INDICATORS =
  'The page shows no value of the answer. Add `indicators`: texts of the page that show that the goal is met';

type RecordedPage = ObservedTurn['observation'];

const pageOf = ({ url, title, elements, text }: RecordedPage): ObservedPage => ({
  url,
  title,
  elements: [...elements],
  text: { text, length: text.length },
});

function shownValues(answer: Json, page: RecordedPage): string[] {
  const observed = pageOf(page);
  return answerParts(answer, null, [evidenceTextOf(observed)])
    .filter(({ origin }) => origin === 'page')
    .map(({ value }) => String(value))
    .filter((text) => text.length <= MAX_EVIDENCE && missingTexts([text], observed).length === 0)
    .slice(0, MAX_ANSWER_INDICATORS);
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
