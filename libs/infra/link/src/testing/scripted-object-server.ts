import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request to the object server, which its script may answer instead. */
export type ObjectHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean;

/** Stores content sent by PUT or POST under its path, and serves it. */
export class FakeObjectStore {
  readonly server: Server;
  readonly objects = new Map<string, { body: Buffer; contentType: string }>();
  /** Handles a request before the server. @returns true if it responded */
  script: ObjectHandler = () => false;

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await this.script(request, response)) return;
    const key = request.url ?? '/';
    if (request.method === 'GET') {
      const object = this.objects.get(key);
      response.writeHead(object ? 200 : 404, { 'content-type': object?.contentType ?? 'text/plain' });
      response.end(object?.body);
      return;
    }
    this.objects.set(key, { body: await buffer(request), contentType: request.headers['content-type'] ?? '' });
    response.writeHead(204).end();
  }
}
