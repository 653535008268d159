import type { ReactNode } from 'react';
import { Breadcrumbs, type Breadcrumb } from './breadcrumbs.tsx';

export interface PageHeaderProps {
  title: ReactNode;
  /** Ancestors of this page. */
  breadcrumbs?: readonly Breadcrumb[];
  actions?: ReactNode;
  children?: ReactNode;
}

/** Breadcrumbs, title and actions of a page. */
export const PageHeader = ({ title, breadcrumbs, actions, children }: PageHeaderProps) => (
  <header className="mb-3">
    {breadcrumbs && <Breadcrumbs items={breadcrumbs} />}
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <h1 className="min-w-0 text-lg font-semibold wrap-anywhere">{title}</h1>
      {children}
      {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  </header>
);
