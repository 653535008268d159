import table from './abilities.json' with { type: 'json' };
import type { ModelRef } from './endpoint.ts';
import { entryOf } from './entry.ts';

/** What a model can do besides reading and writing. */
export interface Abilities {
  /** Takes images; of a model that is not in the table nobody knows, and it is tried. */
  readonly sees: boolean;
  /** Its provider has a tool for operating computers that it may be offered. */
  readonly computer: boolean;
}

const entries: Readonly<Record<string, Partial<Abilities>>> = table;

export const abilitiesOf = (ref: ModelRef): Abilities => ({ sees: true, computer: false, ...entryOf(entries, ref) });
