import { sseMessages } from './sse-connection.ts';

const streamOf = (chunks: readonly (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      controller.close();
    },
  });

const readMessages = async (...chunks: (string | Uint8Array)[]) => {
  const messages = [];
  for await (const message of sseMessages(streamOf(chunks))) messages.push(message);
  return messages;
};

const text =
  ': hello\nretry: 3000\n\nid: 1\ndata: {"a": "grün"}\n\nevent: end\ndata: x\ndata:  y\n\nevent: empty\n\ndata: cut off';
const expected = [
  { id: '1', event: 'message', data: '{"a": "grün"}' },
  { id: null, event: 'end', data: 'x\n y' },
];

test('yields complete messages; drops comments, empty and incomplete messages', async () => {
  expect(await readMessages(text)).toEqual(expected);
});

test.each(['\n', '\r\n', '\r'])('accepts the line ending %j and any chunk boundaries', async (end) => {
  const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
  expect(await readMessages(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
});
