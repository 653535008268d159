import { useCallback, useEffect, useRef, useState } from 'react';
import { MAX_STREAMED_RUNS, LIVE_GRID_PATH, type LiveGridMessage } from '../../server/live-grid-messages.ts';

/** Milliseconds in which visibility changes are batched, so that scrolling does not open a connection per tile. */
const SETTLE_MS = 250;

/** Latest content of a tile. */
export type TileContent = Omit<LiveGridMessage, 'run'>;

/** Screencasts and activity of the visible runs over one connection. */
export function useLiveGrid() {
  const [contents, setContents] = useState<Readonly<Record<string, TileContent>>>({});
  const [visibleRuns, setVisibleRuns] = useState('');
  const visible = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const setVisible = useCallback((run: string, isVisible: boolean) => {
    if (isVisible) visible.current.add(run);
    else visible.current.delete(run);
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => setVisibleRuns([...visible.current].slice(0, MAX_STREAMED_RUNS).sort().join('&run=')),
      SETTLE_MS,
    );
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);

  useEffect(() => {
    if (visibleRuns === '') return undefined;
    const source = new EventSource(`${LIVE_GRID_PATH}?run=${visibleRuns}`);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const { run, ...update } = JSON.parse(data) as LiveGridMessage;
      setContents((current) => ({ ...current, [run]: { ...current[run], ...update } }));
    };
    return () => source.close();
  }, [visibleRuns]);

  return { contents, setVisible };
}
