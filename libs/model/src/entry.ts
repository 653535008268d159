import type { ModelRef } from './endpoint.ts';

/**
 * The names under which tables may know a model: its own; where the model's name has the provider in it, as at endpoints that pass calls on
 * (`openrouter/openai/gpt-5-mini`), that; and that of the one whose protocol it speaks.
 */
const namesOf = ({ provider, model, protocol }: ModelRef): string[] => [
  `${provider}/${model}`,
  ...(model.includes('/') ? [model] : []),
  `${protocol}/${model}`,
];

/** A dated edition of a model, as its end says it: `-20250929`, `-2025-08-07`, `-001`, `-preview-...`, `-latest`. */
const EDITION = /-(latest|\d{3}|\d{8}|\d{4}-\d{2}-\d{2}|preview(-[\d-]+)?)$/;

/** What a table says of a model, or of the one it is a dated edition of. */
export function findEntry<Entry>(table: Readonly<Record<string, Entry>>, ref: ModelRef): Entry | undefined {
  for (const name of namesOf(ref)) {
    const found = [name, name.replace(EDITION, '')].find((one) => Object.hasOwn(table, one));
    if (found !== undefined) return table[found];
  }
  return undefined;
}

/**
 * What a table says of a model in which `*` in a name stands for anything, in letters of either case. Of several names that fit, one of the
 * endpoint goes before one of its protocol, and the longer before the shorter; before all goes one without `*`. The order of a table says nothing:
 * not everybody who writes it down keeps it.
 */
export function mergedEntry<Entry extends object>(
  table: Readonly<Record<string, Entry>>,
  ref: ModelRef,
): Partial<Entry> {
  const names = namesOf(ref);
  const fitting = Object.entries(table)
    .filter(([pattern]) => pattern.includes('*'))
    .map(([pattern, entry]) => ({ pattern, entry, at: names.findIndex((name) => fits(pattern, name)) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => other.at - one.at || one.pattern.length - other.pattern.length);
  return Object.assign({}, ...fitting.map(({ entry }) => entry), findEntry(table, ref)) as Partial<Entry>;
}

/** Whether a name is one that a pattern stands for. In time that grows with both, whatever the pattern. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  let left = name.toLowerCase();
  if (last === undefined) return left === first;
  if (!left.startsWith(first)) return false;
  left = left.slice(first.length);
  for (const part of rest) {
    const at = left.indexOf(part);
    if (at < 0) return false;
    left = left.slice(at + part.length);
  }
  return left.endsWith(last);
}
