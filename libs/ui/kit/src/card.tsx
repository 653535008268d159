import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

export interface CardProps {
  title?: ReactNode;
  /** Controls to the right of the title. */
  actions?: ReactNode;
  /** Removes the padding, e.g. for tables. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

export const Card = ({ title, actions, flush = false, className, children }: CardProps) => (
  <section className={classes('min-w-0 rounded-lg border border-line bg-surface', className)}>
    {title && (
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <h2 className="text-sm font-semibold">{title}</h2>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
    )}
    <div className={flush ? '' : 'p-3'}>{children}</div>
  </section>
);
