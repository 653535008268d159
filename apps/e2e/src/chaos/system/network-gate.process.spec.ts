import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { NetworkGate } from './network-gate.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
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
  closing.push(close);
  return { port: (server.address() as AddressInfo).port, close };
}

async function gateTo(...ports: number[]) {
  const gate = await NetworkGate.open(() => ports);
  closing.push(() => gate.close());
  return gate;
}

function visitor(gate: NetworkGate) {
  const socket = connect(gate.port, '127.0.0.1');
  closing.push(() => void socket.destroy());
  socket.on('error', () => undefined);
  let heard = '';
  socket.on('data', (data) => (heard += data.toString()));
  return {
    socket,
    // `once` would reject with the expected reset
    closed: new Promise((resolve) => socket.once('close', resolve)),
    say: (text: string) => socket.write(text),
    hears: async (text: string) => {
      while (!heard.includes(text)) await once(socket, 'data');
    },
    heard: () => heard,
  };
}

test('connects to the first server that responds', async () => {
  const [dead, alive] = [await echo('dead'), await echo('alive')];
  dead.close();
  const one = visitor(await gateTo(dead.port, alive.port));
  one.say('hello');
  await one.hears('alive:hello');
});

test('cuts open connections and refuses new ones while it is closed', async () => {
  const gate = await gateTo((await echo('x')).port);
  const one = visitor(gate);
  one.say('a');
  await one.hears('x:a');
  gate.cut();
  await one.closed;
  gate.mode = 'closed';
  await visitor(gate).closed;
  gate.mode = 'open';
  const other = visitor(gate);
  other.say('b');
  await other.hears('x:b');
});

test('while frozen, nothing passes or breaks; afterwards everything arrives in order', async () => {
  const gate = await gateTo((await echo('x')).port);
  const one = visitor(gate);
  one.say('1');
  await one.hears('x:1');
  gate.mode = 'frozen';
  for (const text of ['2', '3', '4']) one.say(text);
  const late = visitor(gate);
  late.say('5');
  await once(late.socket, 'connect');
  expect([one.heard(), late.heard()]).toEqual(['x:1', '']);
  gate.mode = 'open';
  await one.hears('4');
  expect(one.heard().replaceAll('x:', '')).toBe('1234');
  await late.hears('x:5');
});

test('while slow, data is delayed and stays in order', async () => {
  const gate = await gateTo((await echo('x')).port);
  const one = visitor(gate);
  gate.delayMs = 60;
  const before = performance.now();
  for (const text of ['1', '2', '3']) one.say(text);
  await one.hears('3');
  expect(performance.now() - before).toBeGreaterThanOrEqual(118);
  expect(one.heard().replaceAll('x:', '')).toBe('123');
});

/**
 * Makes a gate slow until it has received data, and then fast.
 * @returns when it has
 */
function slowOnce(gate: NetworkGate, from: () => boolean = () => true): Promise<void> {
  const taken = Promise.withResolvers<true>();
  let ms = 300;
  Object.defineProperty(gate, 'delayMs', {
    get() {
      if (!from()) return 0;
      taken.resolve(true);
      return ms;
    },
  });
  return taken.promise.then(() => void (ms = 0));
}

test('after it becomes fast, no data overtakes delayed data', async () => {
  const gate = await gateTo((await echo('x')).port);
  const one = visitor(gate);
  const taken = slowOnce(gate);
  one.say('1');
  await taken;
  one.say('2');
  await one.hears('2');
  expect(one.heard().replaceAll('x:', '')).toBe('12');
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
  closing.push(() => server.close());
  await once(server, 'listening');
  const gate = await gateTo((server.address() as AddressInfo).port);
  const one = visitor(gate);
  const taken = slowOnce(gate, () => served !== undefined);
  one.say('hello');
  await taken;
  served?.destroy();
  await one.closed;
  expect(one.heard()).toBe('good-bye');
});

test('while slow, data that a server sent before it closed arrives', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('good-bye'));
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const gate = await gateTo((server.address() as AddressInfo).port);
  gate.delayMs = 60;
  const one = visitor(gate);
  one.say('hello');
  await one.closed;
  expect(one.heard()).toBe('good-bye');
});
