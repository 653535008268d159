/** Initial and maximum delay in milliseconds before a rejected stream is retried. */
const retryMs = { first: 500, max: 10_000 };

/** State of a stream: `over` after its end. */
export type Connection = 'live' | 'lost' | 'over';

export interface StreamListener {
  /** URL of the stream, evaluated on each connection. */
  url: () => string;
  /** @param id sequence number of the last event in the message; '': the message is incomplete */
  onMessage: (data: string, id: string) => void;
  /** Receives partial thoughts of an agent. */
  onThinking?: (data: string) => void;
  onConnection: (connection: Connection) => void;
}

/**
 * Follows a stream to its end. The browser reconnects a broken stream, this function a rejected one.
 * @returns function that stops following
 */
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
      // The browser reconnects a broken stream, but not a rejected one.
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
