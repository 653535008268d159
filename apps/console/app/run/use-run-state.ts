import type { RunEvent, AgentThinking } from '@pilothouse/contract';
import { useEffect, useRef, useState } from 'react';
import { followStream, type Connection } from './event-source.ts';
import { tell, think, type Story } from './run-state.ts';

/** Milliseconds in which events are shown together. */
const togetherMs = 40;

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
    let showing: ReturnType<typeof setTimeout> | undefined;
    let fresh: RunEvent[] = [];
    const show = () => {
      showing = undefined;
      const events = fresh;
      fresh = [];
      setStory((before) => tell(before, events));
    };
    const leave = followStream({
      url: () => `/api/v1/runs/${first.run}/events?after=${seen.current}`,
      onMessage(data) {
        const event = JSON.parse(data) as RunEvent;
        if (event.seq <= seen.current) return;
        seen.current = event.seq;
        fresh.push(event);
        showing ??= setTimeout(show, togetherMs);
      },
      onThinking: (data) => setStory((before) => think(before, JSON.parse(data) as AgentThinking)),
      onConnection: setConnection,
    });
    return () => {
      leave();
      clearTimeout(showing);
    };
  }, [first]);

  return { story, connection };
}
