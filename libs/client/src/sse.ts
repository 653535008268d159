import { EventSourceParserStream } from 'eventsource-parser/stream';

/** One message of a stream of server-sent events. */
export interface SseMessage {
  /** Type; `message` if the stream names none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads the messages of a stream of server-sent events. A message that the stream ends within is dropped.
 * @param body errors of the stream are thrown
 */
export async function* sseMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  for await (const { event, data } of body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()))
    yield { event: event ?? 'message', data };
}
