import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ActionFunctionArgs } from 'react-router';
import { action } from './traces.actions.server.ts';

const runs = ['first', 'second', 'third'];
const pinnedPaths: (string | undefined)[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const isKnown = !url?.includes('second');
    if (isKnown) pinnedPaths.push(url);
    const body = isKnown
      ? {}
      : {
          code: 'NOT_FOUND',
          detail: 'The trace was deleted.',
          status: 404,
          title: 'Not found',
          type: 'about:blank',
          retry: 'no',
        };
    response
      .writeHead(isKnown ? 200 : 404, { 'content-type': isKnown ? 'application/json' : 'application/problem+json' })
      .end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => pinnedPaths.splice(0));
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function pin(selected: readonly string[]) {
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const body = new URLSearchParams([['intent', 'pin'], ...selected.map((run) => ['run', run])]);
  const request = new Request(`${apiUrl}/learning/traces`, { method: 'POST', body });
  const args = { request, params: {}, context: { get: () => ({ apiUrl }) } } as unknown as ActionFunctionArgs;
  return (await action(args)).data;
}

test('a failed pin reports how many traces are pinned', async () => {
  expect(await pin(runs)).toMatchObject({
    failure: {
      code: 'NOT_FOUND',
      message: 'Pinned 1 of 3 traces. Trace second failed: The trace was deleted.',
    },
  });
  expect(pinnedPaths).toEqual(['/v1/traces/first/pin']);
});

test('an empty selection is refused', async () => {
  expect(await pin([])).toMatchObject({ failure: { code: 'VALIDATION_FAILED', message: 'Select the traces to pin.' } });
  expect(pinnedPaths).toEqual([]);
});

test('all selected traces are pinned', async () => {
  expect(await pin(['first', 'third'])).toMatchObject({ result: { traces: 2 } });
  expect(pinnedPaths).toHaveLength(2);
});
