import { terminalEvents, type RunEvent } from '@pilothouse/contract';

/** Milliseconds a browser waits before it connects again. */
const RETRY_MS = 3_000;

const BEAT = Symbol('beat');

/** What a stream says of a run. */
export interface Telling {
  /** Said before the first event, as frames of a stream; empty: nothing. */
  readonly opening: string;
  /** An event, as frames of a stream; empty: nothing is said of it. */
  frames(event: RunEvent): string;
}

/** The events themselves, each with its number. */
export const wholeEvents: Telling = {
  opening: '',
  frames: (event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Events as server-sent events. Silence is filled with comments, so that nobody between takes the connection for dead. Nothing
 * is read ahead: while the socket is full the next event is not asked for.
 * @param beatMs milliseconds of silence before a comment
 */
export async function* eventStream(
  events: AsyncIterable<RunEvent>,
  beatMs: number,
  telling: Telling = wholeEvents,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n${telling.opening}`;
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (let next = iterator.next(); ; next = iterator.next()) {
      let heard = await orBeat(next, beatMs);
      while (heard === BEAT) {
        yield ': still here\n\n';
        heard = await orBeat(next, beatMs);
      }
      // Without a terminal event the process stops: the client connects again, elsewhere.
      if (heard.done) return;
      const frames = telling.frames(heard.value);
      if (frames !== '') yield frames;
      if (terminalEvents.has(heard.value.type)) {
        yield 'event: end\ndata: {}\n\n';
        return;
      }
    }
  } finally {
    await iterator.return?.();
  }
}

async function orBeat<Value>(value: Promise<Value>, ms: number): Promise<Value | typeof BEAT> {
  let timer: NodeJS.Timeout | undefined;
  const beat = new Promise<typeof BEAT>((resolve) => {
    timer = setTimeout(() => resolve(BEAT), ms);
  });
  try {
    return await Promise.race([value, beat]);
  } finally {
    clearTimeout(timer);
  }
}
