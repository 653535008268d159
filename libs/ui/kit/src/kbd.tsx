import type { ReactNode } from 'react';

/** Keyboard key. */
export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-block min-w-5 rounded border border-line bg-raised px-1 text-center font-mono text-xs text-muted">
    {children}
  </kbd>
);
