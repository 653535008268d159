import { PassThrough } from 'node:stream';
import { DevToolsPipe, DevToolsProtocolError, type DevToolsEvent } from './devtools-pipe.ts';

const TIMEOUT_MS = 5_000;

let input: PassThrough;
let output: PassThrough;
let events: DevToolsEvent[];
let pipe: DevToolsPipe;
beforeEach(() => {
  input = new PassThrough();
  output = new PassThrough();
  events = [];
  pipe = new DevToolsPipe(input, output, (event) => events.push(event));
});

const message = (content: object) => Buffer.from(`${JSON.stringify(content)}\0`);

test('a command is JSON with a trailing zero byte, and receives its response', async () => {
  const first = pipe.send('Target.getTargets', {}, null, TIMEOUT_MS);
  const second = pipe.send('Runtime.enable', { depth: 1 }, 'page-1', TIMEOUT_MS);
  expect((input.read() as Buffer).toString()).toBe(
    '{"id":1,"method":"Target.getTargets","params":{}}\0{"id":2,"method":"Runtime.enable","params":{"depth":1},"sessionId":"page-1"}\0',
  );
  output.write(message({ id: 2, result: 'second' }));
  output.write(message({ id: 1, result: 'first' }));
  await expect(Promise.all([first, second])).resolves.toEqual(['first', 'second']);
});

test('reassembles messages from chunks, even split within a character', async () => {
  const answer = pipe.send('Runtime.evaluate', {}, 'page-1', TIMEOUT_MS);
  const bytes = Buffer.concat([
    message({ method: 'a', params: 1, sessionId: 's' }),
    message({ id: 1, result: 'é漢👍🏽' }),
  ]);
  for (const byte of bytes) output.write(Buffer.from([byte]));
  await expect(answer).resolves.toBe('é漢👍🏽');
  expect(events).toEqual([{ method: 'a', params: 1, sessionId: 's' }]);
});

test('a protocol error, a late answer and the end of the browser are errors', async () => {
  const refused = pipe.send('DOM.resolveNode', {}, 'page-1', TIMEOUT_MS);
  output.write(message({ id: 1, error: { message: 'No node with given id found' } }));
  await expect(refused).rejects.toThrow(new DevToolsProtocolError('No node with given id found'));
  await expect(pipe.send('Runtime.evaluate', {}, 'page-1', 20)).rejects.toThrow(
    'The browser did not answer Runtime.evaluate within 20 ms',
  );
  output.write(message({ id: 2, result: 'late' }));
  const pending = pipe.send('Runtime.evaluate', {}, 'page-1', TIMEOUT_MS);
  output.destroy();
  await expect(pending).rejects.toThrow('The debugging connection is closed');
  expect(pipe.isClosed).toBe(true);
  await expect(pipe.send('Runtime.evaluate', {}, 'page-1', TIMEOUT_MS)).rejects.toThrow('connection is closed');
});

test('an invalid message closes the connection', async () => {
  const pending = pipe.send('Runtime.evaluate', {}, 'page-1', TIMEOUT_MS);
  output.write('no JSON\0');
  await expect(pending).rejects.toThrow('The debugging connection is closed');
  output.write(message({ method: 'a', params: 1 }));
  await new Promise(setImmediate);
  expect(events).toEqual([]);
  expect(output.readableLength).toBe(0);
});
