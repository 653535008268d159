import { Combobox as BaseCombobox } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import { fieldClass } from './field.tsx';

export interface ComboboxProps<Item extends string> {
  /** Id from the `Field` around it. Pass all its control attributes. */
  id: string;
  items: readonly Item[];
  value: Item | null;
  onSelect: (item: Item | null) => void;
  /** Receives the typed text, empty after a selection. `items` are then the matches, and are not filtered again. */
  onText?: (text: string) => void;
  placeholder?: string;
  /** Text if no item matches. */
  empty: string;
  /** Renders an item; default: its text. */
  children?: (item: Item) => ReactNode;
}

/** Text field that selects one of many items. Typing filters the list. */
export const Combobox = <Item extends string>({
  items,
  value,
  onSelect,
  onText,
  placeholder,
  empty,
  children = (item) => item,
  ...attributes
}: ComboboxProps<Item>) => (
  <BaseCombobox.Root
    items={items}
    value={value}
    onValueChange={onSelect}
    {...(onText && {
      filter: null,
      onInputValueChange: (text: string, { reason }: { reason: string }) =>
        onText(reason === 'input-change' ? text : ''),
    })}
    autoHighlight
  >
    <BaseCombobox.Input {...attributes} placeholder={placeholder} className={fieldClass} />
    <BaseCombobox.Portal>
      <BaseCombobox.Positioner sideOffset={4} className="z-50">
        <BaseCombobox.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) overflow-y-auto rounded-md border border-line bg-surface p-1 text-sm text-text shadow-lg">
          <BaseCombobox.Empty className="px-2.5 py-1.5 text-muted empty:hidden">{empty}</BaseCombobox.Empty>
          <BaseCombobox.List>
            {(item: Item) => (
              <BaseCombobox.Item
                key={item}
                value={item}
                className="cursor-pointer rounded px-2.5 py-1.5 outline-none select-none data-highlighted:bg-raised"
              >
                {children(item)}
              </BaseCombobox.Item>
            )}
          </BaseCombobox.List>
        </BaseCombobox.Popup>
      </BaseCombobox.Positioner>
    </BaseCombobox.Portal>
  </BaseCombobox.Root>
);
