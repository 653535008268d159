import { useState, type ReactNode } from 'react';

export interface DisclosureProps {
  title: string;
  isInitiallyOpen?: boolean;
  /** Rendered only while the section is open. */
  children: () => ReactNode;
}

/** Collapsible section of the step detail. It stays open when another step is selected. */
export function Disclosure({ title, isInitiallyOpen = false, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(isInitiallyOpen);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="grid gap-1.5">
      <summary className="py-1 text-xs font-medium text-muted hover:text-text">{title}</summary>
      {isOpen && <div className="grid gap-1.5 pt-1">{children()}</div>}
    </details>
  );
}
