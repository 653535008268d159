import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { useEffect, useRef, useState } from 'react';
import { followStream, type Connection } from '../shared/event-source.ts';
import { applyEvents, applyThinking } from './run-event-reducers.ts';
import type { RunState } from './run-state.ts';

/** Milliseconds in which events are batched. */
const BATCH_MS = 40;

/** State of a run, updated by its event stream. A broken stream resumes where it stopped. @param first state that the server rendered */
export function useRunState(first: RunState): { state: RunState; connection: Connection } {
  const [state, setState] = useState(first);
  const [connection, setConnection] = useState<Connection>(first.finishedAt === null ? 'live' : 'over');
  const lastSeq = useRef(first.seq);

  useEffect(() => {
    setState(first);
    lastSeq.current = first.seq;
    if (first.finishedAt !== null) return setConnection('over');
    setConnection('live');
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pending: RunEvent[] = [];
    const flush = () => {
      timer = undefined;
      const events = pending;
      pending = [];
      setState((current) => applyEvents(current, events));
    };
    const unsubscribe = followStream({
      url: () => `/api/v1/runs/${first.run}/events?after=${lastSeq.current}`,
      onMessage(data) {
        const event = JSON.parse(data) as RunEvent;
        if (event.seq <= lastSeq.current) return;
        lastSeq.current = event.seq;
        pending.push(event);
        timer ??= setTimeout(flush, BATCH_MS);
      },
      onThinking: (data) => setState((current) => applyThinking(current, JSON.parse(data) as AgentThinking)),
      onConnection: setConnection,
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [first]);

  return { state, connection };
}
