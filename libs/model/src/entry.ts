import type { ModelRef } from './endpoint.ts';

/** What a table says of a model, or of the one it is a dated edition of (`-20250929`, `-2025-08-07`, `-001`, `-preview-...`, `-latest`). */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  { provider, model }: ModelRef,
): Entry | undefined {
  const name = `${provider}/${model}`;
  return table[name] ?? table[name.replace(/-(latest|\d{3}|\d{8}|\d{4}-\d{2}-\d{2}|preview(-[\d-]+)?)$/, '')];
}
