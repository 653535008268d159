import type { DropdownOptions } from '@pilothouse/contract/control/control.schema';

type Options = readonly Pick<NonNullable<DropdownOptions['dropdown']>['options'][number], 'label' | 'disabled'>[];

/** Options that Page Up and Page Down skip. */
const PAGE = 8;

/** Index of the option that a key selects, skipping disabled options; null: the key has no meaning. */
export function nextOption(options: Options, current: number, key: string): number | null {
  const possible = options.flatMap(({ disabled }, index) => (disabled ? [] : [index]));
  const following = possible.filter((index) => index > current);
  const preceding = possible.filter((index) => index < current).reverse();
  switch (key) {
    case 'ArrowDown':
      return following[0] ?? current;
    case 'ArrowUp':
      return preceding[0] ?? current;
    case 'PageDown':
      return following[PAGE - 1] ?? following.at(-1) ?? current;
    case 'PageUp':
      return preceding[PAGE - 1] ?? preceding.at(-1) ?? current;
    case 'Home':
      return possible[0] ?? current;
    case 'End':
      return possible.at(-1) ?? current;
    default: {
      if ([...key].length !== 1) return null;
      const matches = (index: number) => options[index]?.label.toLowerCase().startsWith(key.toLowerCase());
      return [...following, ...possible].find(matches) ?? null;
    }
  }
}
