import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

export interface TableProps {
  head: ReactNode[];
  children: ReactNode;
  label: string;
  /** Keeps the first column in view while the others scroll. */
  isFirstFixed?: boolean;
}

const fixedFirst =
  '[&_tr>:first-child]:sticky [&_tr>:first-child]:left-0 [&_tr>:first-child]:z-10 [&_tr>:first-child]:bg-surface';

/** Simple table that scrolls horizontally in narrow windows. */
export const Table = ({ head, children, label, isFirstFixed = false }: TableProps) => (
  <div
    className={classes('min-w-0 overflow-x-auto', isFirstFixed && fixedFirst)}
    tabIndex={0}
    role="region"
    aria-label={label}
  >
    <table className="w-full border-collapse text-sm">
      <thead>
        <tr className="border-b border-line text-left text-xs text-muted">
          {head.map((cell, index) => (
            <th key={index} scope="col" className="h-8 px-3 font-medium whitespace-nowrap">
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">{children}</tbody>
    </table>
  </div>
);

export const Cell = ({ children, className }: { children?: ReactNode; className?: string }) => (
  <td className={classes('h-9 px-3 align-middle', className)}>{children}</td>
);
