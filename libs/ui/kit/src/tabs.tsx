import { useId, type KeyboardEvent, type ReactNode } from 'react';
import { classes } from './class-names.ts';

export interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: ReactNode; panel: () => ReactNode }[];
  selected: Name;
  onSelect: (name: Name) => void;
}

/** Tabs with arrow key navigation. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect }: TabsProps<Name>) {
  const id = useId();
  const current = tabs.find(({ name }) => name === selected) ?? tabs[0];
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0 || !current) return;
    const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length];
    if (!next) return;
    onSelect(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  if (!current) return null;
  return (
    <div className="min-w-0">
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex gap-1 overflow-x-auto border-b border-line px-2"
      >
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === current.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === current.name ? 0 : -1}
            onClick={() => onSelect(name)}
            className={classes(
              '-mb-px h-10 border-b-2 px-2.5 text-sm font-medium whitespace-nowrap',
              name === current.name ? 'border-primary text-text' : 'border-transparent text-muted hover:text-text',
            )}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current.name}`} className="p-3">
        {current.panel()}
      </div>
    </div>
  );
}
