/** One server-sent event. */
export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events from a body, as the HTML standard says (comments and unknown fields are passed over). */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const message = parse(text.slice(0, end));
        text = text.slice(end + 2);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(message: string): ServerSentEvent | null {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of message.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  }
  return data.length > 0 || event !== 'message' ? { id, event, data: data.join('\n') } : null;
}
