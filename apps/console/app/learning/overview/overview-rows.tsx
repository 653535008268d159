import { Children, type ReactNode } from 'react';
import { Link } from 'react-router';

/** Link in the header of a card. */
export const CardLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link to={href} className="text-xs text-muted underline hover:text-text">
    {children}
  </Link>
);

/** Rows of a card. Without rows: a sentence. */
export const OverviewRows = ({ label, empty, children }: { label: string; empty: string; children: ReactNode }) =>
  Children.count(children) === 0 ? (
    <p className="p-3 text-sm text-muted">{empty}</p>
  ) : (
    <ul aria-label={label} className="divide-y divide-line text-sm">
      {children}
    </ul>
  );

interface OverviewRowProps {
  href: string;
  name: string;
  /** Second text, at the end. */
  detail: ReactNode;
  /** Badge before the name. */
  children: ReactNode;
}

/** One row: a badge, a link and a detail. */
export const OverviewRow = ({ href, name, detail, children }: OverviewRowProps) => (
  <li className="relative flex min-h-9 items-center gap-2 px-3 py-1.5 hover:bg-raised/60">
    <span className="flex shrink-0">{children}</span>
    <Link
      to={href}
      title={name}
      className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0 hover:underline"
    >
      {name}
    </Link>
    <span className="shrink-0 text-xs text-muted">{detail}</span>
  </li>
);
