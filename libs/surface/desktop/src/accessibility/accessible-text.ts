import type { AccessibilityBus, AccessibleRef } from './accessibility-bus.ts';
import { atspiRoles } from './roles.ts';
import { hasState } from './states.ts';

const ACCESSIBLE = 'org.a11y.atspi.Accessible';
const TEXT = 'org.a11y.atspi.Text';
const EDITABLE_TEXT = 'org.a11y.atspi.EditableText';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** Characters above which a text is not read as a whole. */
const MAX_CHARACTERS = 100_000;

/** Children of a document above which its paragraphs are not listed. */
const MAX_PARAGRAPHS = 500;

/** Text of a field, its caret and its selection. Toolkits count offsets in code points or in UTF-16 units. */
export interface FieldText {
  readonly role: number;
  readonly text: string;
  /** Offset; -1: unknown. */
  readonly caret: number;
  /** Offsets of the selection; null: nothing is selected. */
  readonly selection: { readonly start: number; readonly end: number } | null;
  /** True for a password: its text is one dot for each character. */
  readonly isSecret: boolean;
}

/** @returns null if the object has no text, more than 100,000 characters, or does not answer */
export async function readFieldText(
  bus: AccessibilityBus,
  target: AccessibleRef,
  timeoutMs: number,
): Promise<FieldText | null> {
  try {
    const [role, length, caret, selections] = await Promise.all([
      bus.role(target, timeoutMs),
      bus.textLength(target, timeoutMs),
      caretOf(bus, target, timeoutMs).catch(() => -1),
      bus.call<number>(target, TEXT, 'GetNSelections', timeoutMs).catch(() => 0),
    ]);
    if (length > MAX_CHARACTERS) return null;
    const isSecret = role === atspiRoles.passwordText;
    const [text, selection] = await Promise.all([
      isSecret ? '•'.repeat(length) : bus.text(target, timeoutMs, MAX_CHARACTERS),
      selections > 0 ? selectionOf(bus, target, timeoutMs) : null,
    ]);
    return { role, text, caret, selection, isSecret };
  } catch {
    return null;
  }
}

async function caretOf(bus: AccessibilityBus, target: AccessibleRef, timeoutMs: number): Promise<number> {
  const caret = await bus.call<{ value: number }>(target, PROPERTIES, 'Get', timeoutMs, 'ss', [TEXT, 'CaretOffset']);
  return caret.value;
}

async function selectionOf(
  bus: AccessibilityBus,
  target: AccessibleRef,
  timeoutMs: number,
): Promise<FieldText['selection']> {
  const [start = 0, end = 0] = (await bus.callAll(target, TEXT, 'GetSelection', timeoutMs, 'i', [0])) as number[];
  return start === end ? null : { start: Math.min(start, end), end: Math.max(start, end) };
}

/**
 * Texts of the paragraphs before this one in its document, in order, at most `count`.
 * @returns fewer if the document shows fewer
 */
export async function readParagraphsBefore(
  bus: AccessibilityBus,
  paragraph: AccessibleRef,
  count: number,
  timeoutMs: number,
): Promise<string[]> {
  if (count === 0) return [];
  const { value } = await bus.call<{ value: [string, string] }>(paragraph, PROPERTIES, 'Get', timeoutMs, 'ss', [
    ACCESSIBLE,
    'Parent',
  ]);
  const parent = { bus: value[0], path: value[1] };
  if ((await bus.childCount(parent, timeoutMs)) > MAX_PARAGRAPHS) return [];
  const siblings = await bus.children(parent, timeoutMs);
  const index = siblings.findIndex(({ path }) => path === paragraph.path);
  if (index < 0) return [];
  const previous = siblings.slice(Math.max(0, index - count), index);
  return Promise.all(previous.map((sibling) => bus.text(sibling, timeoutMs, MAX_CHARACTERS)));
}

/** Replaces the whole text of a field. @returns false if it offers no such call, or refuses */
export async function replaceText(
  bus: AccessibilityBus,
  target: AccessibleRef,
  text: string,
  timeoutMs: number,
): Promise<boolean> {
  return bus
    .call<boolean>(target, EDITABLE_TEXT, 'SetTextContents', timeoutMs, 's', [text])
    .then((isSet) => isSet)
    .catch(() => false);
}

/** True if an object takes typed text. */
export const isTextField = (node: { readonly role: number; readonly states: readonly number[] }): boolean =>
  hasState(node.states, 'editable') ||
  node.role === atspiRoles.passwordText ||
  node.role === atspiRoles.terminal ||
  node.role === atspiRoles.paragraph;
