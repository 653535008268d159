import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createPool } from '@pilothouse/infra-db';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { chromium } from 'playwright-core';
import { colorOf, framesOf } from './harness/screencast-frame.ts';
import { chromiumPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

/** Timeout of a browser start and its first frame on a busy machine, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** A page that changes from red to blue on request. */
const PAGE = `<!doctype html><title>Paint</title><body style="margin:0;background:#ff0000">
<script>fetch('/blue').then(() => { document.body.style.background = '#0000ff'; document.title = 'Blue'; });</script>`;

describe('the live view of a run', () => {
  let stack: Stack;
  let site: Server;
  /** State of the page, and pending requests for the change. */
  let isBlue = false;
  const waiting: (() => void)[] = [];
  beforeAll(async () => {
    site = createServer((request, response) => {
      if (request.url !== '/blue') return void response.setHeader('content-type', 'text/html').end(PAGE);
      if (isBlue) response.end();
      else waiting.push(() => response.end());
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    stack = await Stack.start();
  });
  afterAll(async () => {
    site.closeAllConnections();
    site.close();
    await stack?.stop();
  });

  beforeEach(() => {
    isBlue = false;
    waiting.length = 0;
  });
  const turnBlue = () => {
    isBlue = true;
    for (const release of waiting) release();
  };

  const page = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const work = () => ({
    steps: [
      { action: 'navigate', url: page() },
      { action: 'waitFor', condition: { title: 'Blue' }, timeout: 120 },
      { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 },
    ],
  });

  test('shows the browser through another replica until the run ends', async () => {
    const url = await stack.addReplica();
    const { client } = stack;
    const { id } = await client.submit(work());
    const headers = { authorization: `Bearer ${client.key}` };
    const answer = await fetch(`${url}/v1/runs/${id}/live`, { headers });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^multipart\/x-mixed-replace; boundary=[\w-]{36}$/),
    ]);
    const prompt: string[] = [];
    const over = (async () => {
      for await (const frame of framesOf(answer)) prompt.push(colorOf(pixelsOf(frame)));
    })();
    await until('the page is seen red', () => prompt.includes('red') || undefined, TIMEOUT_MS);
    turnBlue();
    await until('the page is seen blue', () => prompt.at(-1) === 'blue' || undefined, TIMEOUT_MS);
    expect(prompt.lastIndexOf('red')).toBeLessThan(prompt.indexOf('blue'));
    await client.cancel(id);
    await over;
    expect((await fetch(`${url}/v1/runs/${id}/live`, { headers })).status).toBe(204);
  });

  test('renders as <img> in a browser', async () => {
    const { client } = stack;
    const { id } = await client.submit(work());
    const browser = await chromium.launch({ executablePath: chromiumPath() });
    try {
      const viewer = await browser.newPage({ extraHTTPHeaders: { authorization: `Bearer ${client.key}` } });
      await viewer.goto(`${client.url}/healthz`);
      await viewer.setContent(`<body style="margin:0"><img style="width:100%" src="${client.url}/v1/runs/${id}/live">`);
      const color = async () => colorOf(pixelsOf(await viewer.screenshot({ type: 'png' })));
      await until('the live view is red', async () => (await color()) === 'red' || undefined, TIMEOUT_MS);
      turnBlue();
      await until('the live view is blue', async () => (await color()) === 'blue' || undefined, TIMEOUT_MS);
    } finally {
      await browser.close();
    }
    await client.cancel(id);
  });

  test('ends when the database does not respond, and the API keeps running', async () => {
    const { client } = stack;
    const { id } = await client.submit(work());
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const pool = createPool({ databaseUrl: stack.database.url, max: 1, name: 'e2e', log });
    try {
      await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data.step === 1, TIMEOUT_MS);
      await pool.query('ALTER TABLE run_event RENAME TO run_event_away');
      try {
        const headers = { authorization: `Bearer ${client.key}` };
        const answer = await fetch(`${client.url}/v1/runs/${id}/live`, { headers });
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      } finally {
        await pool.query('ALTER TABLE run_event_away RENAME TO run_event');
      }
    } finally {
      await pool.end();
    }
    await client.cancel(id);
    expect(stack.api.isRunning).toBe(true);
    expect(stack.api.lines.filter((line) => /unhandled/i.test(line))).toEqual([]);
  });
});
