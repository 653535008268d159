import type { Log } from '@pilothouse/core/ports/runtime.port';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { createConsoleServer } from './console-server.ts';
import { readFiles } from './static-files.ts';
import type { Render } from './page-renderer.ts';

const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const openServers: Server[] = [];

async function listen(server: Server): Promise<string> {
  openServers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const script = 'export const a = 1;\n'.repeat(100);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets/a-1.js'), script);
  await writeFile(join(folder, 'assets/a-1.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets/b-1.js'), script);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  for (const server of openServers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A console in front of an API with this request handler. */
async function startConsole(api: (request: IncomingMessage, response: ServerResponse) => void, render?: Render) {
  const apiUrl = await listen(createServer(api));
  const page: Render = () => Promise.resolve(new Response('<p>page</p>', { headers: { 'content-type': 'text/html' } }));
  const files = await readFiles(folder);
  return listen(createConsoleServer({ apiUrl, render: render ?? page, files, log: silentLog }));
}
const rejectRequest = () => {
  throw new Error('The API was asked');
};

describe('API proxy', () => {
  test('derives the client address from the connection, and from headers of trusted proxies only', async () => {
    const received: IncomingMessage['headers'][] = [];
    const api = (request: IncomingMessage, response: ServerResponse) => {
      received.push(request.headers);
      response.end('{}');
    };
    const forged = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'pilothouse-console-token': 'guessed',
      origin: '',
    };
    const apiUrl = await listen(createServer(api));
    const files = await readFiles(folder);
    const render: Render = () => Promise.resolve(new Response(''));
    for (const trustOptions of [{}, { proxyCount: 1, consoleToken: 'of-this-console' }]) {
      const url = await listen(createConsoleServer({ apiUrl, render, files, log: silentLog, ...trustOptions }));
      forged.origin = url;
      await (await fetch(`${url}/api/v1/me`, { headers: forged })).text();
    }
    expect(received).toMatchObject([
      {
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': expect.stringMatching(/^127/),
        'x-forwarded-proto': 'http',
      },
      {
        'x-forwarded-for': '203.0.113.7',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'pilothouse-console-token': 'of-this-console',
      },
    ]);
    expect(received[0]).not.toHaveProperty('pilothouse-console-token');
    for (const headers of received) expect(headers).not.toHaveProperty('origin');
  });

  test('sets security headers on every object', async () => {
    const url = await startConsole((_, response) =>
      response.writeHead(200, { 'content-type': 'text/xsl' }).end('<a/>'),
    );
    const object = await fetch(`${url}/api/v1/objects/runs/1/a.xsl?type=text%2Fxsl`);
    expect(Object.fromEntries(object.headers)).toMatchObject({
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    const apiResponse = await fetch(`${url}/api/v1/runs`);
    expect(apiResponse.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('forwards path, query and body, with the identity of the console cookie', async () => {
    const received: unknown[] = [];
    const url = await startConsole(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      received.push([request.method, request.url, request.headers.authorization, request.headers.cookie, body]);
      response.writeHead(202, { 'x-said': 'yes' }).end('{}');
    });
    const answer = await fetch(`${url}/api/v1/runs?limit=2`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { cookie: 'pilothouse_key=ph_secret; other=1', 'sec-fetch-site': 'same-origin' },
    });
    expect([answer.status, answer.headers.get('x-said'), await answer.text()]).toEqual([202, 'yes', '{}']);
    expect(received).toEqual([['POST', '/v1/runs?limit=2', 'Bearer ph_secret', undefined, '{"a":1}']]);
  });

  test('streams events at once, and closes the upstream request when the browser disconnects', async () => {
    let stream: ServerResponse | undefined;
    const url = await startConsole((_, response) => {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const disconnected = new AbortController();
    // The response head arrives before the first event.
    const answer = await fetch(`${url}/api/v1/runs/1/events`, { signal: disconnected.signal });
    const reader = answer.body?.getReader();
    for (const n of [1, 2]) {
      stream?.write(`id: ${n}\n\n`);
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(`id: ${n}\n\n`);
    }
    const closed = once(stream as ServerResponse, 'close');
    disconnected.abort();
    await closed;
  });

  test('answers with a problem if the API is unavailable', async () => {
    const url = await startConsole((request) => request.socket.destroy());
    const answer = await fetch(`${url}/api/v1/me`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE', retry: 'same-request' });
  });

  describe('changes in a session', () => {
    const session = { cookie: '__Host-pilothouse=phs_1; other=1', 'sec-fetch-site': 'same-origin' };
    /** A console before an API whose session has the token `t0ken`, with the requests that the API receives. */
    const withSession = async (isValid = true) => {
      const received: string[] = [];
      const url = await startConsole((request, response) => {
        received.push(`${request.method} ${request.url} ${request.headers['pilothouse-csrf'] ?? '-'}`);
        if (request.url === '/v1/sessions/current' && !isValid) return void response.writeHead(401).end('{}');
        response.end(request.url === '/v1/sessions/current' ? '{"csrf":"t0ken"}' : '{}');
      });
      return { url, received };
    };

    test('send the CSRF token of the session, which is read once', async () => {
      const { url, received } = await withSession();
      for (const path of ['control', 'cancel'])
        await fetch(`${url}/api/v1/runs/1/${path}`, { method: 'POST', headers: session });
      expect(received).toEqual([
        'GET /v1/sessions/current -',
        'POST /v1/runs/1/control t0ken',
        'POST /v1/runs/1/cancel t0ken',
      ]);
    });

    test('send no token for reads, API keys and foreign origins', async () => {
      const { url, received } = await withSession();
      await fetch(`${url}/api/v1/runs`, { headers: session });
      await fetch(`${url}/api/v1/runs`, { method: 'POST', headers: { ...session, cookie: 'pilothouse_key=ph_1' } });
      const foreign = { ...session, 'sec-fetch-site': 'cross-site' };
      expect((await fetch(`${url}/api/v1/runs`, { method: 'POST', headers: foreign })).status).toBe(403);
      expect(received).toEqual(['GET /v1/runs -', 'POST /v1/runs -']);
    });

    test('are forwarded without a token if the session is unknown, and the next one retries', async () => {
      const { url, received } = await withSession(false);
      for (const path of ['1', '2']) await fetch(`${url}/api/v1/${path}`, { method: 'DELETE', headers: session });
      expect(received).toEqual([
        'GET /v1/sessions/current -',
        'DELETE /v1/1 -',
        'GET /v1/sessions/current -',
        'DELETE /v1/2 -',
      ]);
    });
  });

  test('rejects cross-site requests', async () => {
    const url = await startConsole(rejectRequest);
    for (const path of ['/api/v1/runs', '/runs']) {
      const answer = await fetch(url + path, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
      expect(answer.status).toBe(403);
    }
  });
});

describe('pages and static files', () => {
  test('allows only scripts with the nonce of the page, and forbids caching of pages', async () => {
    const nonces: string[] = [];
    const url = await startConsole(rejectRequest, (_, { nonce }) => {
      nonces.push(nonce);
      return Promise.resolve(new Response(null, { status: 204 }));
    });
    for (const index of [0, 1]) {
      const { headers } = await fetch(url);
      expect(headers.get('content-security-policy')).toContain(`script-src 'self' 'nonce-${nonces[index]}'`);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  test('passes the request to the renderer, and every cookie to the browser', async () => {
    const url = await startConsole(rejectRequest, async (request) => {
      const headers = new Headers([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ]);
      return new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, { headers });
    });
    const answer = await fetch(`${url}/sign-in?next=/`, { method: 'POST', body: 'key=1' });
    expect(await answer.text()).toBe('POST /sign-in key=1');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  test('sends compressed files of the build, and does not compress files itself', async () => {
    const url = await startConsole(rejectRequest);
    const get = (path: string, encodings: string) =>
      fetch(url + path, { headers: { 'accept-encoding': encodings } }).then(({ headers }) => [
        headers.get('content-encoding'),
        Number(headers.get('content-length')),
        headers.get('vary'),
      ]);
    const { size } = await stat(join(folder, 'assets/a-1.js.br'));
    expect(await get('/assets/a-1.js', 'gzip, br')).toEqual(['br', size, 'accept-encoding']);
    expect(await get('/assets/a-1.js', 'gzip')).toEqual([null, script.length, 'accept-encoding']);
    // Large enough for compression, but the build created no compressed file.
    expect(await get('/assets/b-1.js', 'br')).toEqual([null, script.length, 'accept-encoding']);
    // The compressed file is not served under its own name.
    expect(await (await fetch(`${url}/assets/a-1.js.br`)).text()).toBe('<p>page</p>');
  });

  test('sends compressed, cacheable files, and serves no path outside of its folder', async () => {
    const url = await startConsole(rejectRequest);
    const answer = await fetch(`${url}/assets/a-1.js`, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(await answer.text()).toContain('export const a');
    expect(await (await fetch(`${url}/assets/..%2f..%2fpackage.json`)).text()).toBe('<p>page</p>');
  });

  test('reports a failed page, and serves the next one', async () => {
    let times = 0;
    const url = await startConsole(rejectRequest, () => {
      times += 1;
      return times === 1 ? Promise.reject(new Error('broken')) : Promise.resolve(new Response('well'));
    });
    expect((await fetch(url)).status).toBe(500);
    expect(await (await fetch(url)).text()).toBe('well');
  });
});
