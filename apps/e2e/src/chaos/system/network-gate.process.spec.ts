import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { NetworkGate } from './network-gate.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close();
});

/** A server that echoes its input after its name. */
async function echo(name: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => socket.write(`${name}:${data.toString()}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  cleanups.push(close);
  return { port: (server.address() as AddressInfo).port, close };
}

async function gateTo(...ports: number[]) {
  const gate = await NetworkGate.open(() => ports);
  cleanups.push(() => gate.close());
  return gate;
}

function connectClient(gate: NetworkGate) {
  const socket = connect(gate.port, '127.0.0.1');
  cleanups.push(() => void socket.destroy());
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  return {
    socket,
    // `once` would reject with the expected reset
    closed: new Promise((resolve) => socket.once('close', resolve)),
    send: (text: string) => socket.write(text),
    waitForText: async (text: string) => {
      while (!received.includes(text)) await once(socket, 'data');
    },
    received: () => received,
  };
}

test('connects to the first server that responds', async () => {
  const [dead, alive] = [await echo('dead'), await echo('alive')];
  dead.close();
  const client = connectClient(await gateTo(dead.port, alive.port));
  client.send('hello');
  await client.waitForText('alive:hello');
});

test('cuts open connections and refuses new ones while it is closed', async () => {
  const gate = await gateTo((await echo('x')).port);
  const client = connectClient(gate);
  client.send('a');
  await client.waitForText('x:a');
  gate.resetConnections();
  await client.closed;
  gate.mode = 'closed';
  await connectClient(gate).closed;
  gate.mode = 'open';
  const second = connectClient(gate);
  second.send('b');
  await second.waitForText('x:b');
});

test('while frozen, nothing passes or breaks; afterwards everything arrives in order', async () => {
  const gate = await gateTo((await echo('x')).port);
  const client = connectClient(gate);
  client.send('1');
  await client.waitForText('x:1');
  gate.mode = 'frozen';
  for (const text of ['2', '3', '4']) client.send(text);
  const second = connectClient(gate);
  second.send('5');
  await once(second.socket, 'connect');
  expect([client.received(), second.received()]).toEqual(['x:1', '']);
  gate.mode = 'open';
  await client.waitForText('4');
  expect(client.received().replaceAll('x:', '')).toBe('1234');
  await second.waitForText('x:5');
});

test('while slow, data is delayed and stays in order', async () => {
  const gate = await gateTo((await echo('x')).port);
  const client = connectClient(gate);
  gate.delayMs = 60;
  const sentAt = performance.now();
  for (const text of ['1', '2', '3']) client.send(text);
  await client.waitForText('3');
  expect(performance.now() - sentAt).toBeGreaterThanOrEqual(118);
  expect(client.received().replaceAll('x:', '')).toBe('123');
});

/**
 * Makes a gate slow until it has received data, and then fast.
 * @returns when it has
 */
function slowOnce(gate: NetworkGate, mustSlow: () => boolean = () => true): Promise<void> {
  const delayed = Promise.withResolvers<true>();
  let ms = 300;
  Object.defineProperty(gate, 'delayMs', {
    get() {
      if (!mustSlow()) return 0;
      delayed.resolve(true);
      return ms;
    },
  });
  return delayed.promise.then(() => void (ms = 0));
}

test('after it becomes fast, no data overtakes delayed data', async () => {
  const gate = await gateTo((await echo('x')).port);
  const client = connectClient(gate);
  const delayed = slowOnce(gate);
  client.send('1');
  await delayed;
  client.send('2');
  await client.waitForText('2');
  expect(client.received().replaceAll('x:', '')).toBe('12');
});

test('after it becomes fast, a close does not overtake data of the server', async () => {
  let served: Socket | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      served = socket;
      socket.write('good-bye');
    });
  }).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  const gate = await gateTo((server.address() as AddressInfo).port);
  const client = connectClient(gate);
  const delayed = slowOnce(gate, () => served !== undefined);
  client.send('hello');
  await delayed;
  served?.destroy();
  await client.closed;
  expect(client.received()).toBe('good-bye');
});

test('while slow, data that a server sent before it closed arrives', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('good-bye'));
  }).listen(0, '127.0.0.1');
  cleanups.push(() => server.close());
  await once(server, 'listening');
  const gate = await gateTo((server.address() as AddressInfo).port);
  gate.delayMs = 60;
  const client = connectClient(gate);
  client.send('hello');
  await client.closed;
  expect(client.received()).toBe('good-bye');
});
