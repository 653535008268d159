import type { Readable } from 'node:stream';

/** A response with another status than the first of the route, with headers, or with a body other than JSON. */
export class HttpResponse<Body> {
  readonly status: number;
  readonly body: Body | string | Buffer | Readable | null;
  readonly headers: Readonly<Record<string, string | string[]>>;

  constructor(
    status: number,
    body: Body | string | Buffer | Readable | null,
    headers: Readonly<Record<string, string | string[]>> = {},
  ) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}
