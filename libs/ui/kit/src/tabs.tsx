import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: ReactNode; panel: () => ReactNode }[];
  selected: Name;
  onSelect: (name: Name) => void;
  /** Renders all panels, so that forms keep their values. Default: only the selected panel. */
  keepMounted?: boolean;
}

/** Tabs with arrow key navigation. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect, keepMounted = false }: TabsProps<Name>) {
  const current = tabs.find(({ name }) => name === selected) ?? tabs[0];
  if (!current) return null;
  return (
    <BaseTabs.Root
      className="min-w-0"
      value={current.name}
      onValueChange={(name: Name | null) => name !== null && onSelect(name)}
    >
      <BaseTabs.List
        aria-label={label}
        activateOnFocus
        className="flex gap-1 overflow-x-auto border-b border-line px-2"
      >
        {tabs.map(({ name, title }) => (
          <BaseTabs.Tab
            key={name}
            value={name}
            className="-mb-px h-10 shrink-0 border-b-2 border-transparent px-2.5 text-sm font-medium whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 data-active:border-primary data-active:text-text"
          >
            {title}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {(keepMounted ? tabs : [current]).map(({ name, panel }) => (
        <BaseTabs.Panel
          key={name}
          value={name}
          keepMounted={keepMounted}
          className="p-3 focus-visible:-outline-offset-2"
        >
          {panel()}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
