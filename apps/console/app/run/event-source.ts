/** Milliseconds before a stream that was refused is asked for again, at first and at most. */
const pause = { first: 500, most: 10_000 };

/** How a page hears of a run: `over` when nothing more comes. */
export type Connection = 'live' | 'lost' | 'over';

export interface Listener {
  /** Where the stream is, each time it is opened. */
  url: () => string;
  /** @param id number of the last event that the message tells; '': it is not whole yet */
  onMessage: (data: string, id: string) => void;
  /** Told what an agent is thinking, while its model speaks. */
  onThinking?: (data: string) => void;
  onConnection: (connection: Connection) => void;
}

/** Hears a stream of a run to its end. One that breaks is opened again, by the browser or, when it was refused, here. @returns leaves it */
export function followStream({ url, onMessage, onThinking, onConnection }: Listener): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let wait = pause.first;
  let over = false;
  const open = () => {
    const stream = new EventSource(url());
    source = stream;
    stream.onopen = () => {
      wait = pause.first;
      onConnection('live');
    };
    stream.onmessage = ({ data, lastEventId }: MessageEvent<string>) => onMessage(data, lastEventId);
    stream.addEventListener('agent-thinking', ({ data }: MessageEvent<string>) => onThinking?.(data));
    stream.addEventListener('end', () => {
      over = true;
      stream.close();
      onConnection('over');
    });
    stream.onerror = () => {
      if (over) return;
      onConnection('lost');
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
  };
}
