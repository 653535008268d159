import {
  isPointing,
  locatorsOf,
  readOnlyActions,
  stepSchema,
  type Locator,
  type Step,
  type Target,
} from '@pilothouse/contract';
import { arrivalOf, signOf, type Where } from './arrival.ts';
import { isMasked, type Lift } from './lift.ts';
import type { Deed, GoalRecord } from './record.ts';

/** Steps that do again what an agent did. */
export interface CompiledSteps {
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  /** Sentences: why what it did cannot be done again without it. */
  readonly problems: readonly string[];
}

/** The actions of an agent that happened and did something, as steps, each with the page that it led to. */
export function stepsOf({ deeds, end }: GoalRecord, lift: Lift, origins: ReadonlySet<string>): CompiledSteps {
  const steps: Step[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  const last = end !== null && typeof end === 'object' ? end.page : null;
  for (const [index, deed] of deeds.entries()) {
    if (deed.done === null) notes.push(`Whether this happened nobody knows, it is left out: ${deed.title}`);
    if (deed.done === null || deed.done.error !== null) continue;
    const later = deeds.slice(index + 1);
    const next = later.find(({ done }) => done?.seen)?.done?.seen;
    if (!isNeeded(deed, later, next?.height) || isTypedOver(deed, later[0])) continue;
    const made = stepOf(deed, deed.done.after ?? next ?? last, lift, origins);
    if (typeof made === 'string') problems.push(`${deed.title}: ${made}`);
    else steps.push(made);
    if (typeof made !== 'string' && pointsIn(made))
      notes.push(
        `Its place alone tells what is meant, in a window of the same size on a page that looks the same: ${deed.title}`,
      );
    if ('text' in deed.move && typeof deed.move.text === 'string' && lift.isAmbiguous(deed.move.text))
      notes.push(`Several inputs have the value of this, it stays as it was typed: ${deed.title}`);
    if ('text' in deed.move && typeof deed.move.text === 'string' && lift.stays(deed.move.text))
      notes.push(`The value of an input stands right behind a { in this, it stays as it was typed: ${deed.title}`);
  }
  return { steps, notes, problems };
}

/**
 * Whether an action does something that a later one needs. Every action brings its element into view by itself: the page is scrolled only
 * where it grew by that, or where something is known by its place alone.
 * @param height pixels of the page afterwards; undefined: not known
 */
function isNeeded({ move, done }: Deed, later: readonly Deed[], height: number | undefined): boolean {
  if (readOnlyActions.has(move.action)) return false;
  if (move.action !== 'scroll') return true;
  if (move.by === undefined && move.to === undefined) return false;
  if (later.some((deed) => isOnPage(deed, done) && isByPlace(deed))) return true;
  if (move.target !== undefined) return done !== null && done.locators.length > 0;
  return height !== undefined && height > (done?.seen?.height ?? 0);
}

/** Whether what was typed was typed over by the very next action. */
function isTypedOver({ move, done }: Deed, next: Deed | undefined): boolean {
  if (move.action !== 'type' || next?.move.action !== 'type' || next.move.append || !next.done || next.done.error)
    return false;
  const [one, other] = [done, next.done].map((each) => JSON.stringify(each?.locators ?? []));
  return one !== '[]' && one === other && done?.seen?.url === next.done.seen?.url;
}

const isOnPage = (deed: Deed, done: Deed['done']): boolean => deed.done?.seen?.url === done?.seen?.url;

/** Whether nothing but its place in the window tells what an action is about: it is drawn. */
function isByPlace({ move, done }: Deed): boolean {
  if (move.action === 'scroll' || !done || done.error !== null) return false;
  const chain = 'target' in move && move.target !== undefined ? [...locatorsOf(move.target), ...done.locators] : [];
  return chain.length > 0 && chain.every(isPointing);
}

/** Whether a step goes by a place. */
const pointsIn = (step: Step): boolean =>
  (['target', 'to'] as const).some((field) => {
    const target = (step as Partial<Record<'target' | 'to', unknown>>)[field];
    return (
      typeof target === 'object' && target !== null && locatorsOf(target as Target).some(({ at }) => at !== undefined)
    );
  });

/** @returns a sentence when there is no such step */
function stepOf(
  { move, done, hand }: Deed,
  after: Where | null,
  lift: Lift,
  origins: ReadonlySet<string>,
): Step | string {
  if (!done || (done.seen === null && hand === null))
    return 'the run is of a worker that did not write down yet how elements are found again';
  const { target, ...fields } = { target: undefined, ...move };
  if (isMasked(JSON.stringify(fields))) return 'a secret stood in it, which is not kept';
  if (lift.bracesSecret(fields)) return 'a secret stood right behind a {, where no template can stand';
  if (lift.losesSecret(fields)) return 'a secret stood in it that no input there stands for';
  if ('to' in move && typeof move.to === 'object' && !locatorsOf(move.to)[0]?.at)
    return 'where it was dragged to is known by its number only';
  const ways = target === undefined ? [] : [...locatorsOf(target), ...done.locators];
  const chain = targetOf(ways, lift);
  // What is drawn has no other way.
  if (chain.length === 0) chain.push(...ways.filter(({ at }) => at !== undefined).slice(0, 1));
  if (target !== undefined && chain.length === 0) return 'its element is known by its number only';
  const arrival = done.seen && arrivalOf(done.seen, after ?? done.seen, lift, origins);
  const expect = arrival ?? (done.held ? signOf(done.held, lift) : null);
  const parsed = stepSchema.safeParse({
    ...lifted(fields, lift),
    ...(chain.length > 0 && { target: chain.length === 1 ? chain[0] : chain }),
    ...(expect && { expect }),
    ...(done.guard !== null && { repeatable: false }),
  });
  return parsed.success ? parsed.data : `it makes no step: ${parsed.error.issues[0]?.message ?? ''}`;
}

/** What a key or a button is called is no text of the run. */
const fixed = new Set(['action', 'key', 'button', 'to', 'modifiers']);

const lifted = (fields: object, lift: Lift) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      fixed.has(name) ? (value as unknown) : lift.json<unknown>(value),
    ]),
  );

/**
 * A chain that finds an element the next time: nothing that only points. Where an element has the value of an input in its name, it is
 * only looked for by that: another way would find what the last value led to.
 */
export function targetOf(locators: readonly Locator[], lift: Lift): Locator[] {
  const lasting = locators.filter((locator) => !isPointing(locator) && !isMasked(JSON.stringify(locator)));
  const chain = lasting.map((locator) => ({ locator, text: lift.json(locator) }));
  const named = chain.filter(({ locator }) => lift.changes(JSON.stringify(locator)));
  return (named.length > 0 ? named : chain).map(({ text }) => text).slice(0, 10);
}
