import { readOnlyActions } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import {
  isEphemeralLocator,
  toLocatorChain,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { stepSchema, type Step } from '@pilothouse/contract/workflow/step.schema';
import { matchesApplication, uriOriginOf } from '../../origin/uri-origin.ts';
import { exactLocator } from '../../workflow/exact-locator.ts';
import { removedRowText } from '../list-rows.ts';
import { arrivalCondition, indicatorCondition, type PageLocation } from './arrival-expectation.ts';
import { compileWait, isWait } from './compile-waits.ts';
import { containsMask, type Templatizer } from './templatizer.ts';
import type { ActionRecord, RecordedGoal } from './recorded-goal.ts';
import { isTextEntry } from '../page-queries.ts';

/** Steps that repeat the actions of an agent. */
export interface CompiledSteps {
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  /** Reasons why the actions cannot be repeated without a model. One sentence each. */
  readonly problems: readonly string[];
}

/** Converts the effective actions of an agent to steps, each with the page that it led to. */
export function compileSteps(
  { actions, end, answeredQuestions }: RecordedGoal,
  templatizer: Templatizer,
  origins: ReadonlySet<string>,
): CompiledSteps {
  const steps: Step[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  const endPage = end !== null && typeof end === 'object' ? end.page : null;
  /** Approvals of omitted actions. The next step needs them. */
  let approvals: string[] = [];
  for (const [index, record] of actions.entries()) {
    if (record.approval !== null) approvals.push(record.approval);
    if (record.result === null) notes.push(`An action with an unknown result is left out: ${record.title}`);
    if (record.result === null || record.result.error !== null) continue;
    const laterActions = actions.slice(index + 1);
    const heightAfter = laterActions.find(({ result }) => result?.pageBefore)?.result?.pageBefore?.height;
    const nextRecord = laterActions.find(({ result }) => result?.pageBefore && result.error === null);
    const switchSteps = switchWindowSteps(record, nextRecord);
    const nextPage =
      (switchSteps.length > 0 ? null : latePage(record, laterActions[0])) ??
      record.result.nextPage ??
      (switchSteps.length > 0 ? record.result.page : nextRecord?.result?.pageBefore) ??
      endPage;
    if (isWait(record)) {
      const wait = compileWait(record, { nextPage, later: laterActions }, templatizer, origins);
      steps.push(...(wait ? [wait] : []), ...switchSteps);
      continue;
    }
    if (!isNeeded(record, laterActions, heightAfter) || isOverwritten(record, laterActions[0])) continue;
    const approval = approvals.length === 0 ? null : approvalText(approvals, templatizer);
    approvals = [];
    const step = stepOf(
      record,
      { nextPage, later: laterActions, approval, typedTexts: typedTextsBefore(actions, index) },
      templatizer,
      origins,
    );
    if (typeof step === 'string') problems.push(`${record.title}: ${step}`);
    else {
      steps.push(step, ...switchSteps);
      notes.push(...notesOf(record, step, templatizer));
    }
  }
  const unusedQuestions = [...approvals, ...answeredQuestions];
  if (unusedQuestions.length > 0)
    notes.push(
      `No step follows this question to a person, so the workflow does not ask it: ${unusedQuestions.join('; ')}`,
    );
  return { steps, notes, problems };
}

/** Maximum characters of an approval question. */
const MAX_APPROVAL_CHARS = 1000;

function approvalText(approvals: readonly string[], templatizer: Templatizer): string {
  const text = [...new Set(approvals)].join('; ').slice(0, MAX_APPROVAL_CHARS);
  // A question that contains a secret cannot be used in the next run.
  return containsMask(text) || templatizer.hasUntemplatedSecret(text) || templatizer.hasSecretAfterBrace(text)
    ? 'Allow the action that a person approved before'
    : templatizer.text(text);
}

/** Notes about a step that a person should review. */
function notesOf({ action, title }: ActionRecord, step: Step, templatizer: Templatizer): string[] {
  const targets = targetsIn(step).map(toLocatorChain);
  const notes: string[] = [];
  if (targets.some((chain) => chain.some(({ point }) => point !== undefined)))
    notes.push(
      `Only a point in the viewport identifies the target; window size and page layout must stay the same: ${title}`,
    );
  if (targets.some((chain) => chain.every(isPositional)))
    notes.push(`Only the position on the page identifies the target: ${title}`);
  if ('text' in action && typeof action.text === 'string' && templatizer.isAmbiguous(action.text))
    notes.push(`Several inputs have this value, so the text is not replaced with a template: ${title}`);
  if ('text' in action && typeof action.text === 'string' && templatizer.hasInputAfterBrace(action.text))
    notes.push(`An input value follows a { directly, so the text is not replaced with a template: ${title}`);
  return notes;
}

/**
 * True if a later action needs the effect of an action. Actions scroll to their element by themselves. A scroll is needed only if it made
 * the page grow, or if a later action is positional.
 * @param height pixels of the page after the action; undefined: unknown
 */
function isNeeded(
  { action, result }: ActionRecord,
  laterActions: readonly ActionRecord[],
  height: number | undefined,
): boolean {
  if (readOnlyActions.has(action.action)) return false;
  if (action.action !== 'scroll') return true;
  if (action.by === undefined && action.to === undefined) return false;
  if (laterActions.some((record) => isOnPage(record, result) && isIdentifiedByPoint(record))) return true;
  if (action.target !== undefined) return result !== null && result.locators.length > 0;
  return height !== undefined && height > (result?.pageBefore?.height ?? 0);
}

/** True if the next action replaces the typed text. */
function isOverwritten({ action, result }: ActionRecord, next: ActionRecord | undefined): boolean {
  if (
    !isTextEntry(action) ||
    !next ||
    !isTextEntry(next.action) ||
    next.action.append ||
    next.action.target === undefined ||
    !next.result ||
    next.result.error
  )
    return false;
  const [previousLocators, nextLocators] = [result, next.result].map((result) =>
    JSON.stringify(result?.locators ?? []),
  );
  return (
    previousLocators !== '[]' &&
    previousLocators === nextLocators &&
    result?.pageBefore?.url === next.result.pageBefore?.url
  );
}

const isOnPage = (record: ActionRecord, result: ActionRecord['result']): boolean =>
  record.result?.pageBefore?.url === result?.pageBefore?.url;

/** True if only a point in the viewport identifies the target of an action, as on a canvas. */
function isIdentifiedByPoint({ action, result }: ActionRecord): boolean {
  if (action.action === 'scroll' || !result || result.error !== null) return false;
  const chain =
    'target' in action && action.target !== undefined ? [...toLocatorChain(action.target), ...result.locators] : [];
  return chain.length > 0 && chain.every(isEphemeralLocator);
}

const targetsIn = (step: Step): Target[] =>
  (['target', 'to'] as const).flatMap((field) => {
    const target = (step as Partial<Record<'target' | 'to', unknown>>)[field];
    return typeof target === 'object' && target !== null ? [target as Target] : [];
  });

/** True if a locator finds the row of a list by its position. */
const isRowByPosition = ({ within }: Locator): boolean => within?.nth !== undefined;

/** True if only the position on the page identifies the element of a locator. */
const isPositional = (locator: Locator): boolean =>
  locator.nth !== undefined ||
  isRowByPosition(locator) ||
  (locator.within === undefined && locator.css?.includes(':nth-of-type(') === true);

/** True if an action selects every row of a list. */
const selectsAll = ({ action, result }: ActionRecord): boolean =>
  (action.action === 'check' || action.action === 'uncheck' || action.action === 'click') &&
  (result?.rows?.length ?? 0) > 1 &&
  (result?.locators ?? []).some(
    ({ role, name, within }) =>
      role === 'checkbox' && (within?.css === 'thead' || /^(?:select|check|mark|tick) all\b/i.test(name ?? '')),
  );

/** Text of a row that disappeared between an action and the next one on the same page; null: none. */
function removedRowAfter(
  { result }: ActionRecord,
  laterActions: readonly ActionRecord[],
  templatizer: Templatizer,
): string | null {
  const next = laterActions.find(
    (record) => record.result?.error === null && !readOnlyActions.has(record.action.action),
  )?.result;
  if (
    !result?.pageBefore ||
    !result.rows ||
    !next?.pageBefore ||
    !next.rows ||
    next.pageBefore.url !== result.pageBefore.url
  )
    return null;
  // With other inputs, the row may stay in the list.
  if (templatizer.hasInputs) return null;
  const rowText = removedRowText(
    { rows: result.rows, height: result.pageBefore.height },
    { rows: next.rows, height: next.pageBefore.height },
  );
  return rowText === null || containsMask(rowText) || templatizer.hasUntemplatedSecret(rowText)
    ? null
    : templatizer.text(rowText);
}

/** @param locators locators of the element; @returns a sentence if none of them is reliable */
function chainOf(locators: readonly Locator[], templatizer: Templatizer): Locator[] | string {
  const chain = compileTarget(locators, templatizer);
  const reliable = chain.filter((locator) => !isPositional(locator));
  if (reliable.length > 0) return reliable;
  if (chain.some(isRowByPosition))
    return 'only its position identifies its row in the list, and may be that of another row the next time: give the rows a text or a key';
  if (chain.length > 0) return chain;
  // A canvas target has only its point.
  const pointLocators = locators.filter(({ point }) => point !== undefined).slice(0, 1);
  return pointLocators.length > 0 ? pointLocators : 'only its index identifies its element';
}

/** Context of a step besides its action. */
interface StepContext {
  /** Page after the step. */
  readonly nextPage: PageLocation | null;
  readonly later: readonly ActionRecord[];
  /** Approval question; null: no approval. */
  readonly approval: string | null;
  /** Texts that earlier actions typed. */
  readonly typedTexts: readonly string[];
}

/** The page at the start of the next manual action, which may have come after the report of this one; null: another kind of action. */
const latePage = ({ operator }: ActionRecord, next: ActionRecord | undefined) =>
  operator === null || next === undefined || next.operator === null ? null : (next.result?.pageBefore ?? null);

/** @returns a sentence if the action cannot become a step */
function stepOf(
  record: ActionRecord,
  context: StepContext,
  templatizer: Templatizer,
  origins: ReadonlySet<string>,
): Step | string {
  const { action, result, operator } = record;
  if (!result || (result.pageBefore === null && operator === null))
    return 'the worker of the run was too old to record locators';
  const { target, ...fields } = { target: undefined, ...action };
  if (containsMask(JSON.stringify(fields))) return 'it contains a secret, which is not stored';
  if (templatizer.hasSecretAfterBrace(fields))
    return 'it contains a secret directly after a {, where a template is not possible';
  if (templatizer.hasUntemplatedSecret(fields)) return 'it contains a secret that is not an input of the workflow';
  if (selectsAll(record))
    return 'it selects every row of a list, which may have other rows the next time: let the agent select the rows one by one';
  const chain = target === undefined ? [] : chainOf([...toLocatorChain(target), ...result.locators], templatizer);
  if (typeof chain === 'string') return chain;
  const dropTarget = 'to' in action && typeof action.to === 'object' ? action.to : null;
  const endChain = dropTarget
    ? chainOf([...toLocatorChain(dropTarget), ...(result.endLocators ?? [])], templatizer)
    : [];
  if (typeof endChain === 'string') return `drop target: ${endChain}`;
  const arrival =
    result.pageBefore &&
    arrivalCondition(result.pageBefore, context.nextPage ?? result.pageBefore, templatizer, origins);
  const removedRow = arrival ? null : removedRowAfter(record, context.later, templatizer);
  const expect = {
    ...(arrival ?? expectedCondition(record, context.typedTexts, templatizer)),
    ...(removedRow !== null && { hidden: exactLocator({ text: removedRow }) }),
  };
  const parsed = stepSchema.safeParse({
    ...templatizedFields(fields, templatizer),
    ...(chain.length > 0 && { target: chain.length === 1 ? chain[0] : chain }),
    ...(endChain.length > 0 && { to: endChain.length === 1 ? endChain[0] : endChain }),
    ...(Object.keys(expect).length > 0 && { expect }),
    ...(context.approval !== null && { approval: context.approval }),
    ...(result.irreversibleEffect !== null && { idempotent: false }),
  });
  return parsed.success ? parsed.data : `it is not a valid step: ${parsed.error.issues[0]?.message ?? ''}`;
}

/** Condition for the part of the expected result that an action made true; null: none. */
function expectedCondition(
  { result }: ActionRecord,
  typedTexts: readonly string[],
  templatizer: Templatizer,
): Condition | null {
  if (!result?.metExpectation) return null;
  const { indicators, ...expectation } = result.metExpectation;
  // Window text includes values of fields, so text typed earlier proves no effect of this action.
  const isEvidence = (text: string) =>
    !isWindow(result.pageBefore?.url) || !typedTexts.some((typedText) => typedText.includes(text));
  return indicatorCondition({ ...expectation, indicators: indicators.filter(isEvidence) }, templatizer);
}

const typedTextsBefore = (actions: readonly ActionRecord[], index: number): readonly string[] =>
  actions.slice(0, index).flatMap(({ action }) => (isTextEntry(action) ? action.text : []));

/**
 * Steps that bring the application of the next action to the front, if another application is in front. The agent does this for an
 * expected window in the background.
 */
function switchWindowSteps({ action, result, operator }: ActionRecord, next: ActionRecord | undefined): Step[] {
  const [current, following] = [uriOriginOf(result?.page?.url ?? ''), uriOriginOf(next?.result?.pageBefore?.url ?? '')];
  if (operator !== null || next?.operator !== null || action.action === 'switchWindow') return [];
  if (current.kind !== 'application' || following.kind !== 'application' || matchesApplication(current.name, following))
    return [];
  return [stepSchema.parse({ action: 'switchWindow', app: following.name })];
}

const isWindow = (url: string | undefined): boolean => uriOriginOf(url ?? '').kind === 'application';

/** Fields with fixed values, which never contain texts of the run. */
const FIXED_FIELDS = new Set(['action', 'key', 'button', 'to', 'modifiers']);

const templatizedFields = (fields: object, templatizer: Templatizer) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      FIXED_FIELDS.has(name) ? (value as unknown) : templatizer.json<unknown>(value),
    ]),
  );

/**
 * Builds a reusable locator chain without points. If locators contain the value of an input, only these remain, because others find the
 * element of the recorded value.
 */
export function compileTarget(locators: readonly Locator[], templatizer: Templatizer): Locator[] {
  const reusable = locators.filter((locator) => !isEphemeralLocator(locator) && !containsMask(JSON.stringify(locator)));
  const chain = reusable.map((locator) => ({ locator, text: templatizer.json(locator) }));
  const withInput = chain.filter(({ locator }) => templatizer.containsInput(JSON.stringify(locator)));
  return (withInput.length > 0 ? withInput : chain).map(({ text }) => exactLocator(text)).slice(0, 10);
}
