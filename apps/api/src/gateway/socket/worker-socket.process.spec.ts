import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { WebSocket, WebSocketServer } from 'ws';
import { WorkerSocket } from './worker-socket.ts';

it('pauses reading from a worker under load, and resumes', async () => {
  const server = new WebSocketServer({ port: 0 });
  const fleet = { id: 'f', name: 'f', surface: 'browser', slots: 1, externalWorkers: true };
  const credential = { kind: 'fleet' as const, hash: '', worker: null, fleet };
  const { promise: isReleased, resolve: release } = Promise.withResolvers<undefined>();
  const received: FromWorker[] = [];
  let served: WebSocket | undefined;
  server.on('connection', (ws, { socket }) => {
    served = ws;
    const worker = new WorkerSocket(ws, socket, credential, memoryLog());
    worker.listen(
      (message) => {
        received.push(message);
        return isReleased;
      },
      () => undefined,
    );
  });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    await once(client, 'open');
    for (let count = 0; count < 1_000; count += 1) client.send(JSON.stringify({ type: 'ready', freeSlots: count % 5 }));
    await until('it has enough', () => received.length > 256);
    expect(served?.isPaused).toBe(true);
    release(undefined);
    await until('all were heard', () => received.length === 1_000);
    expect(served?.isPaused).toBe(false);
  } finally {
    client.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
});
