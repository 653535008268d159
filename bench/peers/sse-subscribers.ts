/** Many readers of live runs in a separate process. Records the time at which each event was read. */
import { Agent, get } from 'node:http';

/** Runs to read, and the number of readers. */
export interface SubscribersRequest {
  readonly url: string;
  readonly key: string;
  readonly runs: readonly string[];
  /** Readers of each run. */
  readonly each: number;
}

/** Every received event of every reader: index of the run, number of the event, milliseconds since 1970. */
export type ReceivedEvents = [run: number, seq: number, at: number][];

const received: ReceivedEvents = [];
const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let open = 0;

function subscribe({ url, key, runs }: SubscribersRequest, index: number, onOpen: () => void): void {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const request = get(`${url}/v1/runs/${runs[index]}/events`, { agent, headers }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`The stream answered ${answer.statusCode}`);
    onOpen();
    answer.setEncoding('latin1').on('data', (text: string) => {
      const receivedAt = performance.timeOrigin + performance.now();
      for (const [, seq] of text.matchAll(/(?:^|\n)id: (\d+)\n/g)) received.push([index, Number(seq), receivedAt]);
    });
    answer.once('end', () => {
      open -= 1;
      if (open === 0) process.send?.(received);
    });
  });
  request.once('error', (error) => {
    throw error;
  });
}

process.on('message', (request: SubscribersRequest) => {
  const expectedCount = request.runs.length * request.each;
  for (let index = 0; index < expectedCount; index += 1) {
    subscribe(request, index % request.runs.length, () => {
      open += 1;
      if (open === expectedCount) process.send?.('open');
    });
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
