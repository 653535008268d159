/** Milliseconds before a stream that was refused is asked for again, at first and at most. */
const retryMs = { first: 500, max: 10_000 };

/** How a page hears of a run: `over` when nothing more comes. */
export type Connection = 'live' | 'lost' | 'over';

export interface StreamListener {
  /** Where the stream is, each time it is opened. */
  url: () => string;
  /** @param id number of the last event that the message tells; '': it is not whole yet */
  onMessage: (data: string, id: string) => void;
  /** Told what an agent is thinking, while its model speaks. */
  onThinking?: (data: string) => void;
  onConnection: (connection: Connection) => void;
}

/** Hears a stream of a run to its end. One that breaks is opened again, by the browser or, when it was refused, here. @returns leaves it */
export function followStream({ url, onMessage, onThinking, onConnection }: StreamListener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = retryMs.first;
  let isOver = false;
  const open = () => {
    const stream = new EventSource(url());
    source = stream;
    stream.onopen = () => {
      wait = retryMs.first;
      onConnection('live');
    };
    stream.onmessage = ({ data, lastEventId }: MessageEvent<string>) => onMessage(data, lastEventId);
    stream.addEventListener('agent-thinking', ({ data }: MessageEvent<string>) => onThinking?.(data));
    stream.addEventListener('end', () => {
      isOver = true;
      stream.close();
      onConnection('over');
    });
    stream.onerror = () => {
      if (isOver) return;
      onConnection('lost');
      // Broken, it is opened again by the browser; refused, it is not.
      if (stream.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, retryMs.max);
    };
  };
  open();
  return () => {
    source?.close();
    clearTimeout(timer);
  };
}
