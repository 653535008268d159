import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** A request as node or Fastify gives it. */
export interface ObjectRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request with its body, not yet read. */
export interface ObjectUpload extends ObjectRequest {
  readonly body: Readable;
  /** Aborts when the sender goes away. */
  readonly signal?: AbortSignal;
}

/** An answer to be written as it is. */
export interface ObjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** null: the answer has no body. */
  readonly body: Readable | null;
}
