import { buttonClass } from '@pilothouse/ui-kit';
import { useRef, type ReactNode } from 'react';

export interface DropdownMenuProps {
  /** Label of the button. */
  label: ReactNode;
  /** List items. */
  children: ReactNode;
}

/** Menu with links. Escape, a click on an item and loss of focus close it. */
export function DropdownMenu({ label, children }: DropdownMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute('open');
  return (
    <details
      ref={menu}
      className="relative"
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !menu.current?.open) return;
        close();
        menu.current.querySelector('summary')?.focus();
      }}
      // Without a new focus target, a click is in progress.
      onBlur={({ relatedTarget }) => relatedTarget && !menu.current?.contains(relatedTarget) && close()}
    >
      <summary className={buttonClass({ variant: 'quiet' }, 'list-none')}>{label}</summary>
      <ul
        className="absolute right-0 z-20 mt-1 w-max rounded-md border border-line bg-surface p-1 shadow-lg max-md:right-auto max-md:left-0"
        onClick={close}
      >
        {children}
      </ul>
    </details>
  );
}
