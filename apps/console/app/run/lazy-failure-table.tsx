import { lazy, Suspense } from 'react';
import type { FailureTableProps } from './failure-table.tsx';

// The catalog of errors loads only for runs that have an error.
const Table = lazy(() => import('./failure-table.tsx'));

/** An error as a table. */
export const FailureTable = (props: FailureTableProps) => (
  <Suspense fallback={<p className="font-mono text-xs text-bad">{props.error.code}</p>}>
    <Table {...props} />
  </Suspense>
);
