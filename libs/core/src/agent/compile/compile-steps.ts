import {
  isEphemeralLocator,
  toLocatorChain,
  readOnlyActions,
  stepSchema,
  type Locator,
  type Step,
  type Target,
} from '@pilothouse/contract';
import { goneRow } from '../list-rows.ts';
import { arrivalCondition, indicatorCondition, type PageLocation } from './arrival-expectation.ts';
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
  { deeds, end, asked }: RecordedGoal,
  lift: Templatizer,
  origins: ReadonlySet<string>,
): CompiledSteps {
  const steps: Step[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  const last = end !== null && typeof end === 'object' ? end.page : null;
  /** Approvals of omitted actions. The next step needs them. */
  let approvals: string[] = [];
  for (const [index, deed] of deeds.entries()) {
    if (deed.approval !== null) approvals.push(deed.approval);
    if (deed.done === null) notes.push(`Whether this happened nobody knows, it is left out: ${deed.title}`);
    if (deed.done === null || deed.done.error !== null) continue;
    const later = deeds.slice(index + 1);
    const next = later.find(({ done }) => done?.pageBefore)?.done?.pageBefore;
    if (!isNeeded(deed, later, next?.height) || isTypedOver(deed, later[0])) continue;
    const approval = approvals.length === 0 ? null : approvalText(approvals, lift);
    approvals = [];
    const made = stepOf(deed, { after: deed.done.after ?? next ?? last, later, approval }, lift, origins);
    if (typeof made === 'string') problems.push(`${deed.title}: ${made}`);
    else {
      steps.push(made);
      notes.push(...notesOf(deed, made, lift));
    }
  }
  const left = [...approvals, ...asked];
  if (left.length > 0)
    notes.push(`No step follows this question to a person, and the workflow does not ask it: ${left.join('; ')}`);
  return { steps, notes, problems };
}

/** Maximum characters of an approval question. */
const MAX_APPROVAL = 1000;

function approvalText(approvals: readonly string[], lift: Templatizer): string {
  const text = [...new Set(approvals)].join('; ').slice(0, MAX_APPROVAL);
  // A question that contains a secret cannot be used in the next run.
  return containsMask(text) || lift.losesSecret(text) || lift.bracesSecret(text)
    ? 'Allow the action that a person allowed before'
    : lift.text(text);
}

/** Notes about a step that a person should review. */
function notesOf({ move, title }: ActionRecord, made: Step, lift: Templatizer): string[] {
  const targets = targetsIn(made).map(toLocatorChain);
  const notes: string[] = [];
  if (targets.some((chain) => chain.some(({ point: at }) => at !== undefined)))
    notes.push(
      `Its place alone tells what is meant, in a window of the same size on a page that looks the same: ${title}`,
    );
  if (targets.some((chain) => chain.every(isPositional)))
    notes.push(`Its position on the page alone tells what is meant: ${title}`);
  if ('text' in move && typeof move.text === 'string' && lift.isAmbiguous(move.text))
    notes.push(`Several inputs have the value of this, it stays as it was typed: ${title}`);
  if ('text' in move && typeof move.text === 'string' && lift.stays(move.text))
    notes.push(`The value of an input stands right behind a { in this, it stays as it was typed: ${title}`);
  return notes;
}

/**
 * True if a later action needs the effect of an action. Actions scroll to their element by themselves. A scroll is needed only if it made
 * the page grow, or if a later action is positional.
 * @param height pixels of the page after the action; undefined: unknown
 */
function isNeeded({ move, done }: ActionRecord, later: readonly ActionRecord[], height: number | undefined): boolean {
  if (readOnlyActions.has(move.action)) return false;
  if (move.action !== 'scroll') return true;
  if (move.by === undefined && move.to === undefined) return false;
  if (later.some((deed) => isOnPage(deed, done) && isByPlace(deed))) return true;
  if (move.target !== undefined) return done !== null && done.locators.length > 0;
  return height !== undefined && height > (done?.pageBefore?.height ?? 0);
}

/** True if the next action replaces the typed text. */
function isTypedOver({ move, done }: ActionRecord, next: ActionRecord | undefined): boolean {
  if (
    !isTextEntry(move) ||
    !next ||
    !isTextEntry(next.move) ||
    next.move.append ||
    next.move.target === undefined ||
    !next.done ||
    next.done.error
  )
    return false;
  const [one, other] = [done, next.done].map((each) => JSON.stringify(each?.locators ?? []));
  return one !== '[]' && one === other && done?.pageBefore?.url === next.done.pageBefore?.url;
}

const isOnPage = (deed: ActionRecord, done: ActionRecord['done']): boolean =>
  deed.done?.pageBefore?.url === done?.pageBefore?.url;

/** True if only a point in the viewport identifies the target of an action, as on a canvas. */
function isByPlace({ move, done }: ActionRecord): boolean {
  if (move.action === 'scroll' || !done || done.error !== null) return false;
  const chain = 'target' in move && move.target !== undefined ? [...toLocatorChain(move.target), ...done.locators] : [];
  return chain.length > 0 && chain.every(isEphemeralLocator);
}

const targetsIn = (step: Step): Target[] =>
  (['target', 'to'] as const).flatMap((field) => {
    const target = (step as Partial<Record<'target' | 'to', unknown>>)[field];
    return typeof target === 'object' && target !== null ? [target as Target] : [];
  });

/** True if a locator finds the row of a list by its position. */
const isOfRowByPosition = ({ within }: Locator): boolean => within?.nth !== undefined;

/** True if only the position on the page identifies the element of a locator. */
const isPositional = (locator: Locator): boolean =>
  locator.nth !== undefined ||
  isOfRowByPosition(locator) ||
  (locator.within === undefined && locator.css?.includes(':nth-of-type(') === true);

/** True if an action selects every row of a list. */
const selectsAll = ({ move, done }: ActionRecord): boolean =>
  (move.action === 'check' || move.action === 'uncheck' || move.action === 'click') &&
  (done?.rows?.length ?? 0) > 1 &&
  (done?.locators ?? []).some(
    ({ role, name, within }) =>
      role === 'checkbox' && (within?.css === 'thead' || /^(?:select|check|mark|tick) all\b/i.test(name ?? '')),
  );

/** Text of a row that disappeared between an action and the next one on the same page; null: none. */
function goneAfter({ done }: ActionRecord, later: readonly ActionRecord[], lift: Templatizer): string | null {
  const next = later.find((deed) => deed.done?.error === null && !readOnlyActions.has(deed.move.action))?.done;
  if (!done?.pageBefore || !done.rows || !next?.pageBefore || !next.rows || next.pageBefore.url !== done.pageBefore.url)
    return null;
  // With other inputs, the row may stay in the list.
  if (lift.isGiven) return null;
  const gone = goneRow(
    { rows: done.rows, height: done.pageBefore.height },
    { rows: next.rows, height: next.pageBefore.height },
  );
  return gone === null || containsMask(gone) || lift.losesSecret(gone) ? null : lift.text(gone);
}

/** @param locators locators of the element; @returns a sentence if none of them is reliable */
function chainOf(locators: readonly Locator[], lift: Templatizer): Locator[] | string {
  const chain = compileTarget(locators, lift);
  const sturdy = chain.filter((locator) => !isPositional(locator));
  if (sturdy.length > 0) return sturdy;
  if (chain.some(isOfRowByPosition))
    return 'nothing identifies its row in the list, and its position may be that of another row the next time: give the rows a text or a key';
  if (chain.length > 0) return chain;
  // A canvas target has only its point.
  const place = locators.filter(({ point: at }) => at !== undefined).slice(0, 1);
  return place.length > 0 ? place : 'its element is known by its number only';
}

/** Context of a step besides its action. */
interface StepContext {
  /** Page after the step. */
  readonly after: PageLocation | null;
  readonly later: readonly ActionRecord[];
  /** Approval question; null: no approval. */
  readonly approval: string | null;
}

/** @returns a sentence if the action cannot become a step */
function stepOf(
  deed: ActionRecord,
  context: StepContext,
  lift: Templatizer,
  origins: ReadonlySet<string>,
): Step | string {
  const { move, done, hand } = deed;
  if (!done || (done.pageBefore === null && hand === null))
    return 'the run is of a worker that did not write down yet how elements are found again';
  const { target, ...fields } = { target: undefined, ...move };
  if (containsMask(JSON.stringify(fields))) return 'a secret stood in it, which is not kept';
  if (lift.bracesSecret(fields)) return 'a secret stood right behind a {, where no template can stand';
  if (lift.losesSecret(fields)) return 'a secret stood in it that no input there stands for';
  if (selectsAll(deed))
    return 'it selects every row of a list, which may have other rows the next time: let the agent select the rows one by one';
  const chain = target === undefined ? [] : chainOf([...toLocatorChain(target), ...done.locators], lift);
  if (typeof chain === 'string') return chain;
  const to = 'to' in move && typeof move.to === 'object' ? move.to : null;
  const ends = to ? chainOf([...toLocatorChain(to), ...(done.endLocators ?? [])], lift) : [];
  if (typeof ends === 'string') return `where it was dragged to: ${ends}`;
  const arrival = done.pageBefore && arrivalCondition(done.pageBefore, context.after ?? done.pageBefore, lift, origins);
  const gone = arrival ? null : goneAfter(deed, context.later, lift);
  const expect = {
    ...(arrival ?? (done.held ? indicatorCondition(done.held, lift) : null)),
    ...(gone !== null && { hidden: { text: gone, exact: true } }),
  };
  const parsed = stepSchema.safeParse({
    ...lifted(fields, lift),
    ...(chain.length > 0 && { target: chain.length === 1 ? chain[0] : chain }),
    ...(ends.length > 0 && { to: ends.length === 1 ? ends[0] : ends }),
    ...(Object.keys(expect).length > 0 && { expect }),
    ...(context.approval !== null && { approval: context.approval }),
    ...(done.effect !== null && { idempotent: false }),
  });
  return parsed.success ? parsed.data : `it makes no step: ${parsed.error.issues[0]?.message ?? ''}`;
}

/** Fields with fixed values, which never contain texts of the run. */
const fixed = new Set(['action', 'key', 'button', 'to', 'modifiers']);

const lifted = (fields: object, lift: Templatizer) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      fixed.has(name) ? (value as unknown) : lift.json<unknown>(value),
    ]),
  );

/**
 * Builds a reusable locator chain without points. If locators contain the value of an input, only these remain, because others find the
 * element of the recorded value.
 */
export function compileTarget(locators: readonly Locator[], lift: Templatizer): Locator[] {
  const lasting = locators.filter((locator) => !isEphemeralLocator(locator) && !containsMask(JSON.stringify(locator)));
  const chain = lasting.map((locator) => ({ locator, text: lift.json(locator) }));
  const named = chain.filter(({ locator }) => lift.changes(JSON.stringify(locator)));
  return (named.length > 0 ? named : chain).map(({ text }) => text).slice(0, 10);
}
