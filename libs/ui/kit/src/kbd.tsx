import type { ReactNode } from 'react';

/** A key of the keyboard. */
export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-block min-w-5 rounded border border-line bg-raised px-1 text-center font-mono text-xs text-muted">
    {children}
  </kbd>
);
