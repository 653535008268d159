import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { escapePointer } from './templates.ts';

/** Maximum number of reported problems. */
const MAX_ERRORS = 20;

/** Maximum length of a name in a pointer, and of a pointer, in characters, so that responses stay short. */
const MAX_NAME_CHARS = 200;
const MAX_POINTER_CHARS = 2_000;

/** Replaces characters that PostgreSQL rejects but pages contain: NUL and unpaired surrogates. */
export const toStorableText = (text: string) =>
  isStorableText(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();

/** True if PostgreSQL accepts a text. */
export const isStorableText = (text: string) => !text.includes('\0') && text.isWellFormed();

/** Makes all strings of a value, including keys, storable. Returns the same object if nothing changes. */
export function toStorable<Value extends Json>(value: Value): Value;
export function toStorable(value: Json): Json {
  return isStorable(value) ? value : replaceUnstorable(value);
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every((key) => isStorableText(key) && isStorable(value[key] ?? null));
}

function replaceUnstorable(value: Json): Json {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map(replaceUnstorable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorableText(key), replaceUnstorable(item)]));
}

/** A value in a tree of values. */
interface NestedValue {
  readonly value: unknown;
  readonly key: string;
  readonly parent: NestedValue | null;
  /** Pointers relative to this value whose strings may contain anything. */
  readonly except: readonly string[];
}

/**
 * Finds strings, including keys, that PostgreSQL rejects. Reports the first few.
 * @param options `at`: pointer of the value; `except`: pointers whose strings may contain anything
 */
export function storableTextErrors(
  value: unknown,
  { pointer: base = '', except = [] }: { pointer?: string; except?: readonly string[] } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  const checkText = (nested: NestedValue, text: string, subject: string) => {
    if (errors.length < MAX_ERRORS && !isStorableText(text))
      errors.push({ pointer: base + pointerOf(nested), detail: `${subject} ${describeProblem(text)}` });
  };
  // Iterative, because external values may be nested deeper than the call stack.
  const pendingValues: NestedValue[] = [{ value, key: '', parent: null, except }];
  for (let nested = pendingValues.pop(); nested && errors.length < MAX_ERRORS; nested = pendingValues.pop()) {
    if (nested.except.includes('')) continue;
    checkText(nested, nested.key, 'The name');
    if (typeof nested.value === 'string') checkText(nested, nested.value, 'The text');
    if (typeof nested.value !== 'object' || nested.value === null) continue;
    for (const [key, item] of Object.entries(nested.value).reverse() as [string, unknown][])
      pendingValues.push({ value: item, key, parent: nested, except: pointersBelow(nested.except, key) });
  }
  return errors;
}

/** Pointers below a key. */
const pointersBelow = (pointers: readonly string[], name: string) =>
  pointers.flatMap((pointer) =>
    pointer.startsWith(name, 1) && ['/', undefined].includes(pointer[name.length + 1])
      ? [pointer.slice(name.length + 1)]
      : [],
  );

function pointerOf(nested: NestedValue): string {
  const segments: string[] = [];
  for (let current = nested; current.parent; current = current.parent)
    segments.push(`/${escapePointer(toStorableText(truncate(current.key, MAX_NAME_CHARS)))}`);
  return truncate(segments.reverse().join(''), MAX_POINTER_CHARS);
}

const truncate = (text: string, maxChars: number) => (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text);

const describeProblem = (text: string) =>
  text.includes('\0')
    ? 'contains NUL (U+0000), which cannot be stored. Remove it.'
    : 'contains half of a surrogate pair (U+D800 to U+DFFF), which cannot be stored. Send the whole character, or remove it.';
