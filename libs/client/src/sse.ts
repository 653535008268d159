/** One message of a stream of server-sent events. */
export interface SseMessage {
  /** Type: `message` when the stream says nothing else. */
  readonly event: string;
  readonly data: string;
}

/**
 * Messages of a stream, by the rules of the HTML standard. A message that the stream ends within is dropped: it may not be whole.
 * @param body ends when it is aborted; what it throws is thrown on
 */
export async function* sseMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A `\r` at the end may be half of a line's end.
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + rest.slice(whole.length);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      if (field === 'event') event = value;
    }
  }
}
