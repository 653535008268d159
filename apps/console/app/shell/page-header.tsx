import type { ReactNode } from 'react';

/** Title and actions of a page. */
export const PageHeader = ({
  title,
  actions,
  children,
}: {
  title: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) => (
  <header className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
    <h1 className="min-w-0 text-lg font-semibold wrap-anywhere">{title}</h1>
    {children}
    {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
  </header>
);
