import type { RunEvent } from '@pilothouse/contract';
import { useEffect, useRef, useState } from 'react';
import { tell, type Story } from '../lib/story.ts';

/** Milliseconds before a stream that was refused is asked for again, at first and at most. */
const pause = { first: 500, most: 10_000 };

/** Milliseconds in which events are shown together. */
const togetherMs = 40;

export type Connection = 'live' | 'lost' | 'over';

/** The story of a run as it goes on. A stream that breaks is taken up where it broke. @param first as the server told it */
export function useStory(first: Story): { story: Story; connection: Connection } {
  const [story, setStory] = useState(first);
  const [connection, setConnection] = useState<Connection>(first.finishedAt === null ? 'live' : 'over');
  const seen = useRef(first.seq);

  useEffect(() => {
    setStory(first);
    seen.current = first.seq;
    if (first.finishedAt !== null) return setConnection('over');
    setConnection('live');
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let showing: ReturnType<typeof setTimeout> | undefined;
    let wait = pause.first;
    let fresh: RunEvent[] = [];
    const show = () => {
      showing = undefined;
      const events = fresh;
      fresh = [];
      setStory((before) => tell(before, events));
    };
    const open = () => {
      const stream = new EventSource(`/api/v1/runs/${first.run}/events?after=${seen.current}`);
      source = stream;
      stream.onopen = () => {
        wait = pause.first;
        setConnection('live');
      };
      stream.onmessage = ({ data }: MessageEvent<string>) => {
        const event = JSON.parse(data) as RunEvent;
        if (event.seq <= seen.current) return;
        seen.current = event.seq;
        fresh.push(event);
        showing ??= setTimeout(show, togetherMs);
      };
      stream.addEventListener('end', () => {
        stream.close();
        setConnection('over');
      });
      stream.onerror = () => {
        setConnection((now) => (now === 'over' ? now : 'lost'));
        // Broken, it is opened again by the browser; refused, it is not.
        if (stream.readyState !== EventSource.CLOSED) return;
        again = setTimeout(open, wait);
        wait = Math.min(wait * 2, pause.most);
      };
    };
    open();
    return () => {
      source?.close();
      clearTimeout(again);
      clearTimeout(showing);
    };
  }, [first]);

  return { story, connection };
}
