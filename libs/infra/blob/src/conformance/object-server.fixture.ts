import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { ApiTransfers } from '../signed-url/api-transfers.ts';
import { type ObjectResponse, receiveObject, serveObject } from '../signed-url/object-http.ts';

/** Serves the object routes of the API on a plain HTTP server. */
export async function startObjectServer(
  store: BlobStore,
  transfers: () => Pick<ApiTransfers, 'verify'>,
): Promise<{ url: string; close(): Promise<void> }> {
  const respondTo = async (request: IncomingMessage): Promise<ObjectResponse> => {
    const { method = '', url = '', headers } = request;
    const objectRequest = { method, url, headers };
    if (method === 'PUT') return receiveObject(store, transfers(), { ...objectRequest, body: request });
    return serveObject(store, transfers(), objectRequest);
  };
  const write = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { status, headers, body } = await respondTo(request);
      response.writeHead(status, headers);
      if (body) await pipeline(body, response);
      else response.end();
    } catch (error) {
      const { http, code, message } = toPilothouseError(error);
      const problem = JSON.stringify({ code, detail: message });
      response.writeHead(http, { 'content-type': 'application/problem+json', connection: 'close' }).end(problem);
      request.resume();
    }
  };
  const server = createServer((request, response) => void write(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
