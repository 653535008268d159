import type { RunEvent, AgentThinking } from '@pilothouse/contract';
import { useEffect, useRef, useState } from 'react';
import { followStream, type Connection } from './event-source.ts';
import { applyEvents, applyThinking, type RunState } from './run-state.ts';

/** Milliseconds in which events are shown together. */
const togetherMs = 40;

/** The story of a run as it goes on. A stream that breaks is taken up where it broke. @param first as the server told it */
export function useRunState(first: RunState): { state: RunState; connection: Connection } {
  const [state, setState] = useState(first);
  const [connection, setConnection] = useState<Connection>(first.finishedAt === null ? 'live' : 'over');
  const seen = useRef(first.seq);

  useEffect(() => {
    setState(first);
    seen.current = first.seq;
    if (first.finishedAt !== null) return setConnection('over');
    setConnection('live');
    let showing: ReturnType<typeof setTimeout> | undefined;
    let fresh: RunEvent[] = [];
    const show = () => {
      showing = undefined;
      const events = fresh;
      fresh = [];
      setState((before) => applyEvents(before, events));
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
      onThinking: (data) => setState((before) => applyThinking(before, JSON.parse(data) as AgentThinking)),
      onConnection: setConnection,
    });
    return () => {
      leave();
      clearTimeout(showing);
    };
  }, [first]);

  return { state, connection };
}
