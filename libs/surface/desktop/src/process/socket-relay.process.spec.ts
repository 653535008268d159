import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_RELAY_CONNECTIONS, startSocketRelay, type SocketRelay } from './socket-relay.ts';

let folder: string;
let target: Server;
let relay: SocketRelay;
let clients: Socket[];

const paths = () => ({ listen: { path: join(folder, 'relay') }, target: { path: join(folder, 'target') } });

/** A client whose bytes come back from the target. */
async function open(): Promise<Socket> {
  const client = connect(paths().listen);
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** @returns true if the target answers; false if the relay has closed the connection */
async function isRelayed(client: Socket): Promise<boolean> {
  const answer = new Promise<boolean>((resolve) => {
    client.once('data', () => resolve(true));
    client.once('close', () => resolve(false));
  });
  client.write('x');
  return answer;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-relay-'));
  clients = [];
  target = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  target.listen(paths().target);
  await once(target, 'listening');
  relay = await startSocketRelay(paths().listen, paths().target);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await relay.close();
  target.close();
  await rm(folder, { recursive: true });
});

test('connections above the limit are closed, and a closed one makes room', async () => {
  for (let count = 0; count < MAX_RELAY_CONNECTIONS; count += 1) await open();
  expect(await isRelayed(clients.at(-1) as Socket)).toBe(true);
  expect(await isRelayed(await open())).toBe(false);
  const [first] = clients;
  first?.destroy();
  // The relay notices the end of a connection later than the client.
  let isOpen = false;
  while (!isOpen) isOpen = await isRelayed(await open());
  expect(isOpen).toBe(true);
}, 20_000);
