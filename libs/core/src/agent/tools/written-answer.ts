import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { PlannedAction } from '../planned-action.ts';

/* Writing of answers for training data: the inverse of the parsers in this folder. */

/** Expected answer of a model. */
export interface AnswerToWrite {
  readonly thought: string;
  readonly actions: readonly PlannedAction[];
  /** Expected result of the turn. Pointing dialects leave it out. */
  readonly expects?: Expectation | undefined;
}

/** Observation data that writers need. */
export interface WriteContext {
  readonly surface: SurfaceKind;
  /** Elements that actions name by index. */
  readonly elements: readonly Pick<ElementView, 'index' | 'bounds' | 'value' | 'state'>[];
  readonly viewport: { readonly width: number; readonly height: number };
  /** Pixels of the image that the model receives; null: no image. */
  readonly image: { readonly width: number; readonly height: number } | null;
  /** Tier of the request: it decides which functions exist. */
  readonly tier: 'text' | 'vision';
}

/** An answer in a dialect, or the reason why the dialect cannot express it. */
export type WrittenAnswer =
  | { readonly kind: 'written'; readonly text: string; readonly calls: ModelCall[] }
  | { readonly kind: 'unwritable'; readonly reason: string };

/** Thrown inside of writers. `writeAnswer` returns it as `unwritable`. */
export class UnwritableAction extends Error {
  override readonly name = 'UnwritableAction';
}

/** Returns the text that a writer produced for an action, or throws. */
export function unwritable(dialect: string, subject: string): never {
  throw new UnwritableAction(`${dialect} has no ${subject}`);
}

/** Quotes a text for call syntax, with the escapes that `parseCalls` reads. */
export const quoteText = (text: string, quote: '"' | "'" = '"'): string =>
  quote +
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t') +
  quote;

/** Index of the element that a target names; null: it names a point, or something else. */
export const elementIndexOf = (target: Target | undefined): number | null =>
  (target === undefined ? undefined : toLocatorChain(target)[0]?.elementIndex) ?? null;

/** A point in thousandths of the viewport. */
export interface Thousandths {
  readonly x: number;
  readonly y: number;
}

const clamp = (value: number) => Math.min(1000, Math.max(0, value));

/** Center of a target in thousandths; null: the target is neither a listed element nor a point. */
export function pointOfTarget(target: Target | undefined, { elements, viewport }: WriteContext): Thousandths | null {
  const locator = target === undefined ? undefined : toLocatorChain(target)[0];
  if (locator?.point) return locator.point;
  const element = elements.find(({ index }) => index === locator?.elementIndex);
  if (!element || viewport.width <= 0 || viewport.height <= 0) return null;
  const { x, y, width, height } = element.bounds;
  return {
    x: clamp(Math.round(((x + width / 2) / viewport.width) * 1000)),
    y: clamp(Math.round(((y + height / 2) / viewport.height) * 1000)),
  };
}

/** Index of the focused element; null: nothing in the list has the focus. */
export const focusedIndex = ({ elements }: Pick<WriteContext, 'elements'>): number | null =>
  elements.find(({ state }) => state.focused === true)?.index ?? null;

/** Fields of an action with a value, besides its name. */
export const fieldsOfAction = (action: Action): string[] =>
  Object.entries(action).flatMap(([field, value]) => (field === 'action' || value === undefined ? [] : [field]));

/** Refuses an action with a field that a call cannot carry. */
export function allowFields(dialect: string, action: Action, fields: readonly string[]): void {
  const unsupportedField = fieldsOfAction(action).find((field) => !fields.includes(field));
  if (unsupportedField !== undefined) unwritable(dialect, `\`${unsupportedField}\` of \`${action.action}\``);
}

/** Answer of a goal as a text. */
export const answerText = (answer: unknown): string =>
  answer === null || answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer);
