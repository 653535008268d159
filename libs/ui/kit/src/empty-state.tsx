import type { ReactNode } from 'react';

/** Placeholder for an empty list, which explains how to fill it. */
export const Empty = ({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) => (
  <div className="mx-auto grid max-w-xl justify-items-center gap-2 px-4 py-12 text-center">
    <p className="text-base font-semibold">{title}</p>
    {children && <div className="text-sm text-muted">{children}</div>}
    {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
  </div>
);
