import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SEEDS, tasksOf } from './deck.ts';
import { taskPage } from './page.ts';

/** Serves the pages of all tasks, as all seeds draw them. */
export async function startTasks(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const pages = new Map(
    Array.from({ length: SEEDS }, (_, seed) => tasksOf(seed).tasks)
      .flat()
      .map(({ path, body }) => [path, taskPage(body)]),
  );
  const server = createServer(({ url = '' }, response) => {
    const page = pages.get(url);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
