import { WHOLE_WINDOW } from '../accessibility/read-need.ts';
import { SessionClient } from './session-client.ts';
import type { SessionTransport, TransportListener } from './session-transport.ts';
import type { StartOptions } from '../process/start-session.ts';

/** A session process that answers each call with the next message. */
async function clientOf(answers: readonly ((id: number) => unknown)[], onClose: () => void = () => undefined) {
  const remaining = [(id: number): unknown => ({ type: 'response', id, result: null }), ...answers];
  let listener: TransportListener | undefined;
  const transport: SessionTransport = {
    home: '/home/session/home',
    listen: (given) => (listener = given),
    send: ({ id }) => queueMicrotask(() => listener?.onMessage(remaining.shift()?.(id))),
    close: onClose,
    end: async () => [],
  };
  return SessionClient.start(transport, {} as StartOptions);
}

const answer = (result: unknown) => (id: number) => ({ type: 'response', id, result });
const node = {
  bus: ':1.2',
  path: '/a',
  role: 7,
  name: 'Save',
  states: [1, 2],
  extents: { x: 1, y: 2, width: 3, height: 4 },
};

test('a result is returned without properties that the protocol does not have', async () => {
  const tree = { window: null, nodes: [{ ...node, extra: 'x' }], incomplete: null, isAccessible: true, more: 1 };
  const client = await clientOf([answer(tree)]);
  expect(await client.call('observe', { deadlineMs: 1, windowId: null, need: WHOLE_WINDOW })).toEqual({
    window: null,
    nodes: [node],
    incomplete: null,
    isAccessible: true,
  });
});

test.each([
  ['another type', () => ({ type: 'exec', id: 1 }), 'expected a response'],
  ['no object', () => null, 'invalid message'],
  ['the id of a later call', () => ({ type: 'response', id: 99, result: true }), 'no call has the id 99'],
  ['a result of another shape', answer('yes'), 'expected a boolean'],
  ['a failure without a text', (id: number) => ({ type: 'failure', id }), 'message: expected a text'],
])('a session that sends %s is lost', async (_, message, reason) => {
  const client = await clientOf([message]);
  await expect(client.call('activate', { id: 1 })).rejects.toThrow(reason);
  expect(client.lossSignal.aborted).toBe(true);
});

test('an answer that arrives after the timeout of its call is ignored', async () => {
  let onMessage: (message: unknown) => void = () => undefined;
  const transport: SessionTransport = {
    home: '/home/session/home',
    listen: (given) => (onMessage = given.onMessage),
    send: ({ id, procedure }) => procedure === 'start' && onMessage({ type: 'response', id, result: null }),
    close: () => undefined,
    end: async () => [],
  };
  const client = await SessionClient.start(transport, {} as StartOptions);
  await expect(client.call('activate', { id: 1 }, { timeoutMs: 1 })).rejects.toThrow('did not answer activate');
  onMessage({ type: 'response', id: 2, result: true });
  expect(client.lossSignal.aborted).toBe(false);
  // It was the only answer.
  onMessage({ type: 'response', id: 2, result: true });
  expect(client.lossSignal.aborted).toBe(true);
});

test('the second answer to a call ends the session, and closes its channel', async () => {
  let closed = 0;
  const onClose = () => void (closed += 1);
  const client = await clientOf([answer(true), () => ({ type: 'response', id: 2, result: true })], onClose);
  await client.call('activate', { id: 1 });
  await expect(client.call('activate', { id: 2 })).rejects.toThrow('no call has the id 2');
  expect(closed).toBe(1);
});

test.each(['../../token', '/etc/passwd', 'a/..', 'a\0b', `${'é'.repeat(200)}`])(
  'the file name %j of a session is refused',
  async (path) => {
    const client = await clientOf([answer([{ path, size: 1, version: '1' }])]);
    const files = client.call('matchingFiles', { pattern: '*', isGlob: true });
    await expect(files).rejects.toThrow('expected the path of a file');
  },
);

test('a path that a step must not name is an error of the step', async () => {
  const client = await clientOf([(id) => ({ type: 'failure', id, message: 'outside', isInvalidPath: true })]);
  await expect(client.call('homeFile', { path: '..' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(client.lossSignal.aborted).toBe(false);
});
