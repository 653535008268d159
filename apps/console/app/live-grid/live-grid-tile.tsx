import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { shortId } from '../shared/number-format.ts';
import type { RunRow } from '../runs/run-row.ts';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import type { TileContent } from './use-live-grid.ts';

export interface LiveGridTileProps {
  row: RunRow;
  content: TileContent | undefined;
  /** Reports whether the tile is visible. Only visible tiles have a screencast. */
  onVisible: (run: string, isVisible: boolean) => void;
}

/** Tile of a run: its screencast, status and current activity. */
export function LiveGridTile({
  row: { id, name, status, question, step, steps, startedAt },
  content,
  onVisible,
}: LiveGridTileProps) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    const tile = ref.current;
    if (!tile) return undefined;
    const observer = new IntersectionObserver(([entry]) => onVisible(id, entry?.isIntersecting ?? false));
    observer.observe(tile);
    return () => {
      observer.disconnect();
      onVisible(id, false);
    };
  }, [id, onVisible]);
  const activity = status === 'awaiting_user' ? question : content?.activity;
  return (
    <li ref={ref} className="overflow-hidden rounded-lg border border-line bg-surface">
      <Link to={`/runs/${id}`} data-row prefetch="intent" className="grid hover:bg-raised">
        <span className="grid aspect-video place-items-center overflow-hidden border-b border-line bg-raised">
          {content?.jpeg ? (
            <img
              src={`data:image/jpeg;base64,${content.jpeg}`}
              alt={`Live view of ${name} ${shortId(id)}`}
              className="size-full object-contain"
            />
          ) : (
            <span className="text-xs text-muted">Waiting for the screen…</span>
          )}
        </span>
        <span className="grid gap-1 p-2 text-sm">
          <span className="flex min-w-0 items-center gap-2">
            <RunStatusBadge status={status} />
            <span className="truncate font-medium">{name}</span>
            <span className="ml-auto text-xs whitespace-nowrap text-muted">
              {startedAt ? <TimeAgo time={startedAt} /> : shortId(id)}
            </span>
          </span>
          <span className="line-clamp-2 min-h-8 text-xs text-muted" title={activity ?? ''}>
            {step !== null &&
              status !== 'awaiting_user' &&
              `Step ${step + 1}/${Math.max(steps, step + 1)}${activity ? ': ' : ''}`}
            {activity}
          </span>
        </span>
      </Link>
    </li>
  );
}
