import { classes } from '@pilothouse/ui-kit';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type Ref } from 'react';
import { Link } from 'react-router';
import { countOf, dollars, short, shortId } from '../shared/number-format.ts';
import { reasonOf, type RunRow } from './run-row.ts';
import { formatDuration, elapsedMs } from '../shared/duration.ts';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';

/** Row height in a wide window. Rows in a narrow window are measured. */
const ROW_PX = 40;

/** Rows in the HTML of the server: more than a typical window shows. */
const FIRST_ROWS = 36;

/** Rows before the end at which the next page is loaded. */
const PREFETCH_ROWS = 20;

const columns = 'md:grid-cols-[2rem_8.5rem_minmax(10rem,2fr)_minmax(8rem,3fr)_6rem_6.5rem_7rem]';

const useBeforePaint = typeof window === 'undefined' ? useEffect : useLayoutEffect;

const neverChanges = () => () => {};

/** False in the HTML of the server and during hydration. */
const useHydrated = () =>
  useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );

/** Rows of the server's HTML. The virtualizer would start with other rows after a reload in the middle of the page. */
const firstRows = (rows: readonly RunRow[]) =>
  rows.slice(0, FIRST_ROWS).map(({ id }, index) => ({ key: id, index, y: index * ROW_PX }));

export interface RunTableProps {
  rows: readonly RunRow[];
  selected: ReadonlySet<string>;
  onSelect: (run: string, selected: boolean) => void;
  onEnd: () => void;
  /** Receives the range of visible rows. */
  onVisibleRows: (first: number, last: number) => void;
}

/** Virtualized table of runs: only visible rows are in the document. */
export function RunTable({ rows, selected, onSelect, onEnd, onVisibleRows }: RunTableProps) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [isNarrow, setNarrow] = useState(false);
  useBeforePaint(() => setTop(body.current?.offsetTop ?? 0), []);
  useBeforePaint(() => {
    const narrow = matchMedia('(width < 48rem)');
    const update = () => setNarrow(narrow.matches);
    update();
    narrow.addEventListener('change', update);
    return () => narrow.removeEventListener('change', update);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => rows[index]?.id ?? index,
    // Until the window is measured.
    initialRect: { width: 1440, height: 900 },
  });
  // Row heights differ between narrow and wide windows.
  useEffect(() => virtual.measure(), [virtual, isNarrow]);
  const isHydrated = useHydrated();
  const items = isHydrated
    ? virtual.getVirtualItems().map(({ key, index, start }) => ({ key, index, y: start - top }))
    : firstRows(rows);
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onVisibleRows(first, last), [first, last, onVisibleRows]);
  useEffect(() => {
    if (last >= rows.length - PREFETCH_ROWS) onEnd();
  }, [last, rows.length, onEnd]);
  return (
    <div role="table" aria-label="Runs" aria-rowcount={rows.length + 1} className="text-sm">
      <div
        role="row"
        aria-rowindex={1}
        className={classes(
          'hidden h-8 items-center gap-3 border-b border-line px-3 text-xs text-muted md:grid',
          columns,
        )}
      >
        <span role="columnheader">
          <span className="sr-only">Selected</span>
        </span>
        {['Status', 'Run', 'Details', 'Duration', 'Model usage', 'Created'].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      <div ref={body} role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, y }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <Row
              key={key}
              ref={isNarrow ? virtual.measureElement : undefined}
              index={index}
              y={isHydrated ? y : null}
              row={row}
              selected={selected.has(row.id)}
              onSelect={onSelect}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  /** Set in narrow windows, to measure the height. */
  ref: Ref<HTMLDivElement> | undefined;
  index: number;
  /** Pixels from the top of the list; null before hydration. */
  y: number | null;
  row: RunRow;
  selected: boolean;
  onSelect: RunTableProps['onSelect'];
}

/** Memoized row: scrolling renders only new rows. */
const Row = memo(function Row({ ref, index, y, row, selected, onSelect }: RowProps) {
  const { id, name, version, status } = row;
  return (
    <div
      ref={ref}
      data-index={index}
      role="row"
      aria-rowindex={index + 2}
      // The link covers the row and receives the pointer.
      title={row.error ? reasonOf(row.error) : undefined}
      style={{ transform: `translateY(${y ?? index * ROW_PX}px)` }}
      className={classes(
        'absolute inset-x-0 top-0 items-center gap-x-3 gap-y-1 border-b border-line px-3 max-md:flex max-md:flex-wrap max-md:py-2 md:grid md:h-10 md:contain-strict',
        columns,
        // Until hydration, rows of a narrow window flow: their heights are unknown.
        y === null && 'max-md:static max-md:transform-none!',
        selected ? 'bg-raised' : 'hover:bg-raised/60',
      )}
    >
      <span role="cell" className="relative z-10 flex">
        <input
          type="checkbox"
          className="size-4 accent-primary"
          checked={selected}
          onChange={(event) => onSelect(id, event.target.checked)}
          aria-label={`Select ${name} ${shortId(id)}`}
        />
      </span>
      <span role="cell">
        <RunStatusBadge status={status} />
      </span>
      <span role="cell" className="min-w-0 truncate max-md:flex-1">
        <Link
          to={`/runs/${id}`}
          data-row
          prefetch="intent"
          className="font-medium after:absolute after:inset-0 hover:underline"
        >
          {name}
        </Link>
        <span className="ml-1.5 text-xs text-muted">
          {version !== null && `v${version} `}
          <span className="font-mono">{shortId(id)}</span>
        </span>
      </span>
      <span role="cell" className="min-w-0 text-muted max-md:order-last max-md:basis-full max-md:empty:hidden">
        <RunDetails row={row} />
      </span>
      <span role="cell" className="text-muted max-md:hidden">
        <RunDuration row={row} />
      </span>
      <span role="cell" className="text-muted max-md:hidden" title={countOf(row.tokens, 'token')}>
        {row.tokens > 0 ? `${short(row.tokens)} · ${dollars(row.usd)}` : '—'}
      </span>
      <span role="cell" className="text-muted">
        <TimeAgo time={row.createdAt} />
      </span>
    </div>
  );
});

function RunDetails({ row: { status, error, question, step, steps, unverified, labels } }: { row: RunRow }) {
  if (error) {
    return (
      <span className="line-clamp-2 text-xs leading-4">
        <span className="mr-1 rounded bg-bad/10 px-1 font-mono text-bad">{error.code}</span>
        {reasonOf(error)}
      </span>
    );
  }
  if (status === 'awaiting_user') return <span className="block truncate text-warn">{question}</span>;
  if (status === 'running')
    return (
      <>
        Step {(step ?? 0) + 1}/{Math.max(steps, (step ?? 0) + 1)}
      </>
    );
  const labelTexts = Object.entries(labels).map(([label, value]) => `${label}:${value}`);
  if (labelTexts.length === 0 && unverified === 0) return null;
  return (
    <span className="block truncate font-mono text-xs">
      {unverified > 0 && (
        <span className="mr-2 font-sans">{countOf(unverified, 'step not verified', 'steps not verified')}</span>
      )}
      {labelTexts.join(' ')}
    </span>
  );
}

function RunDuration({ row: { startedAt, finishedAt } }: { row: RunRow }) {
  const ms = finishedAt === null ? undefined : elapsedMs(startedAt, finishedAt, 0);
  return <>{ms === undefined ? '—' : formatDuration(ms)}</>;
}
