/** One message of a stream of server-sent events. */
export interface SseMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Reads the messages of an answer, as the HTML standard says, until it ends. Comments are left out. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = messageOf(block);
      if (message) yield message;
    }
  }
}

function messageOf(block: string): SseMessage | null {
  const fields = block.split('\n').map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name, value.join(':').replace(/^ /, '')];
  });
  const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
  const last = (wanted: string) => fields.findLast(([name]) => name === wanted)?.[1];
  if (data.length === 0 && last('event') === undefined) return null;
  return { id: last('id') ?? null, event: last('event') ?? 'message', data: data.join('\n') };
}
