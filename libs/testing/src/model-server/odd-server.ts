import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { oddAnswers } from './odd-answers.ts';
import { oddCalls } from './odd-calls.ts';
import { oddRefusals } from './odd-refusals.ts';
import { oddStreams } from './odd-streams.ts';
import { oddTransports } from './odd-transports.ts';
import { sendGood, type OddCases, type OddRequest } from './odd-wire.ts';

/* An OpenAI-compatible server with faults of real servers and small models. It plays the goal "press Count three times". */

/** All faults by name. */
export const oddCases: OddCases = {
  ...oddRefusals,
  ...oddAnswers,
  ...oddCalls,
  ...oddTransports,
  ...oddStreams,
};

/** A server whose faults are chosen by the name of the model: `odd/<case>`. */
export interface OddServer {
  /** Address with `/v1`. */
  readonly url: string;
  readonly requests: readonly OddRequest[];
  /** Sends the answers that are held. @returns their number */
  release(): number;
  close(): Promise<void>;
}

export async function startOddServer(): Promise<OddServer> {
  const requests: OddRequest[] = [];
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const received = JSON.parse(body) as OddRequest;
      requests.push(received);
      const oddCase = oddCases[received.model];
      const count = requests.filter(({ model }) => model === received.model).length;
      if (oddCase && count <= oddCase.calls) oddCase.answer(received, response, (release) => held.push(release));
      else sendGood(received, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    release: () => {
      const releases = held.splice(0);
      for (const release of releases) release();
      return releases.length;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
