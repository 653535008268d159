import { readSse } from './sse-reader.ts';

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('messages are read however they are cut, and comments are no messages', async () => {
  const text = 'retry: 3000\n\n: here\n\nid: 1\ndata: {"a":\ndata: "ü"}\n\nid: 2\r\nevent: end\r\ndata:\r\n\r\n';
  const bytes = Buffer.from(text);
  const whole = [];
  for await (const message of readSse(chunks(text))) whole.push(message);
  expect(whole).toEqual([
    { id: '1', event: 'message', data: '{"a":\n"ü"}' },
    { id: '2', event: 'end', data: '' },
  ]);
  const cut = [];
  for await (const message of readSse(
    (async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    })(),
  )) {
    cut.push(message);
  }
  expect(cut).toEqual(whole);
});
