import type { Dialect } from '@pilothouse/contract';
import table from './abilities.json' with { type: 'json' };
import type { ModelRef } from './endpoint.ts';
import { mergedEntry } from './entry.ts';

/** What a model can do besides reading and writing. */
export interface ModelCapabilities {
  /** Takes images; of a model that is not in the table nobody knows, and it is tried. */
  readonly sees: boolean;
  /** Its provider has a tool for operating computers that it may be offered. */
  readonly computer: boolean;
  /** How it writes actions; undefined: nobody knows, and functions are tried. */
  readonly dialect?: Dialect | undefined;
}

const entries = table as Readonly<Record<string, Partial<ModelCapabilities>>>;

/** What the table says, unless the installation says otherwise. */
export function capabilitiesOf(ref: ModelRef): ModelCapabilities {
  const { sees, computer, dialect } = mergedEntry(entries, ref);
  const { entry } = ref;
  return {
    sees: entry?.sees ?? sees ?? true,
    computer: computer ?? false,
    dialect: entry?.dialect ?? dialect,
  };
}
