import type { DropdownOptions } from '@pilothouse/contract/control/control.schema';

type Options = readonly Pick<NonNullable<DropdownOptions['dropdown']>['options'][number], 'label' | 'disabled'>[];

/** Options that Page Up and Page Down skip. */
const PAGE = 8;

/** Index of the option that a key selects, skipping disabled options; null: the key has no meaning. */
export function nextOption(options: Options, at: number, key: string): number | null {
  const possible = options.flatMap(({ disabled }, index) => (disabled ? [] : [index]));
  const after = possible.filter((index) => index > at);
  const before = possible.filter((index) => index < at).reverse();
  switch (key) {
    case 'ArrowDown':
      return after[0] ?? at;
    case 'ArrowUp':
      return before[0] ?? at;
    case 'PageDown':
      return after[PAGE - 1] ?? after.at(-1) ?? at;
    case 'PageUp':
      return before[PAGE - 1] ?? before.at(-1) ?? at;
    case 'Home':
      return possible[0] ?? at;
    case 'End':
      return possible.at(-1) ?? at;
    default: {
      if ([...key].length !== 1) return null;
      const matches = (index: number) => options[index]?.label.toLowerCase().startsWith(key.toLowerCase());
      return [...after, ...possible].find(matches) ?? null;
    }
  }
}
