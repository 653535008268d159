import { useCallback, useEffect, useRef, useState } from 'react';
import { mostFilms, wallPath, type WallNews } from '../../server/live-grid-messages.ts';

/** Milliseconds in which tiles that come and go are taken together: scrolling opens no connection for each. */
const settleMs = 250;

/** What is known of a run on the wall. */
export type Told = Omit<WallNews, 'run'>;

/** Films and words of the runs that are seen, over one connection. */
export function useWall() {
  const [told, setTold] = useState<Readonly<Record<string, Told>>>({});
  const [seen, setSeen] = useState('');
  const visible = useRef(new Set<string>());
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);

  /** Says whether a run's tile is seen. */
  const see = useCallback((run: string, is: boolean) => {
    if (is) visible.current.add(run);
    else visible.current.delete(run);
    clearTimeout(settling.current);
    settling.current = setTimeout(
      () => setSeen([...visible.current].slice(0, mostFilms).sort().join('&run=')),
      settleMs,
    );
  }, []);
  useEffect(() => () => clearTimeout(settling.current), []);

  useEffect(() => {
    if (seen === '') return undefined;
    const source = new EventSource(`${wallPath}?run=${seen}`);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const { run, ...news } = JSON.parse(data) as WallNews;
      setTold((all) => ({ ...all, [run]: { ...all[run], ...news } }));
    };
    return () => source.close();
  }, [seen]);

  return { told, see };
}
