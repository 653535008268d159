import { classes } from '@pilothouse/ui-kit';
import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';

export interface SectionTabsProps {
  /** Accessible name. */
  label: string;
  /** The first section is only selected on its own page, the others also on pages below. */
  sections: readonly { href: string; name: string }[];
}

/** Links to the sections of a page. In a narrow window they scroll to the selected one. */
export function SectionTabs({ label, sections }: SectionTabsProps) {
  const tabs = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const list = tabs.current;
    const selected = list?.querySelector<HTMLElement>('[aria-current=page]');
    if (list && selected) list.scrollLeft = selected.offsetLeft - (list.clientWidth - selected.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={tabs} aria-label={label} className="relative mb-3 flex gap-1 overflow-x-auto border-b border-line">
      {sections.map(({ href, name }, index) => (
        <NavLink
          key={href}
          to={href}
          end={index === 0}
          className={({ isActive }) =>
            classes(
              '-mb-px flex h-9 items-center border-b-2 px-2.5 text-sm font-medium whitespace-nowrap',
              isActive ? 'border-primary text-text' : 'border-transparent text-muted hover:text-text',
            )
          }
        >
          {name}
        </NavLink>
      ))}
    </nav>
  );
}
