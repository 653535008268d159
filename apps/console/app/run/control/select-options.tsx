import type { DropdownOptions } from '@pilothouse/contract/control/control.schema';
import { classes } from '@pilothouse/ui-kit';
import { useEffect, useId, useRef, useState } from 'react';
import { nextOption } from './select-option-keys.ts';

type Choices = NonNullable<DropdownOptions['dropdown']>;

export interface SelectOptionsProps {
  choices: Choices;
  onChoose: (choice: number, label: string) => void;
  onClose: () => void;
  /** Called when the list loses the focus. */
  onBlur: () => void;
}

/** Positions in thousandths of the screencast from which the list opens upwards or to the left. */
const OPEN_UP_FROM = 600;
const OPEN_LEFT_FROM = 600;

/** Options of a select on the page. Native option lists are not part of the screencast. */
export function SelectOptions({ choices: { bounds, options }, onChoose, onClose, onBlur }: SelectOptionsProps) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const [selected, setSelected] = useState(() =>
    Math.max(
      0,
      options.findIndex(({ selected: isSelected }) => isSelected),
    ),
  );
  useEffect(() => list.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    // Newer browsers return a promise here, which must not be the cleanup function.
    list.current?.querySelector('[data-at]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const choose = (index: number) => {
    const option = options[index];
    if (option && !option.disabled) onChoose(index, option.label);
  };
  const percent = (thousandths: number) => `${Math.min(100, Math.max(0, thousandths / 10))}%`;
  const opensLeft = bounds.x > OPEN_LEFT_FROM;
  const side = opensLeft ? { right: percent(1000 - bounds.x - bounds.width) } : { left: percent(bounds.x) };
  const edge =
    bounds.y > OPEN_UP_FROM ? { bottom: percent(1000 - bounds.y) } : { top: percent(bounds.y + bounds.height) };

  return (
    <ul
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label="Options of the select"
      aria-activedescendant={`${id}-${selected}`}
      className="absolute z-20 max-h-60 max-w-full min-w-40 overflow-y-auto rounded-md border border-edge bg-surface py-1 text-sm shadow-lg"
      style={{ ...side, ...edge }}
      onBlur={onBlur}
      onKeyDown={(event) => {
        if (event.key === 'Escape' || event.key === 'Tab') {
          event.preventDefault();
          return onClose();
        }
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          return choose(selected);
        }
        const next = nextOption(options, selected, event.key);
        if (next === null) return;
        event.preventDefault();
        setSelected(next);
      }}
    >
      {options.map(({ label, group, disabled: isDisabled, selected: isSelected }, index) => (
        <li
          key={index}
          id={`${id}-${index}`}
          role="option"
          aria-selected={isSelected}
          aria-disabled={isDisabled || undefined}
          data-at={index === selected || undefined}
          className={classes(
            'flex min-h-8 cursor-pointer items-center gap-2 px-3 py-1 max-md:min-h-11',
            isDisabled && 'cursor-not-allowed opacity-60',
            index === selected && 'bg-raised',
            isSelected && 'font-medium',
          )}
          onPointerMove={() => setSelected(index)}
          onClick={() => choose(index)}
        >
          <span className="w-3 shrink-0" aria-hidden="true">
            {isSelected ? '✓' : ''}
          </span>
          <span className="truncate">{label === '' ? '(empty)' : label}</span>
          {group !== null && <span className="ml-auto truncate pl-3 text-xs text-muted">{group}</span>}
        </li>
      ))}
      {options.length === 0 && (
        <li role="option" aria-selected="false" aria-disabled="true" id={`${id}-0`} className="px-3 py-1 text-muted">
          No options.
        </li>
      )}
    </ul>
  );
}
