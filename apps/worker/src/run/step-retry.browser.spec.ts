import { BrowserHost } from '@pilothouse/surface-browser';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { TestServer } from '@pilothouse/testing/test-server';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';

/* Retry of steps in a real Chromium, with and without proof that no input was sent. */

let orders = 0;
let script = '';
const server = new TestServer((request, response) => {
  if (request.method === 'POST') orders += 1;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">
    <button id="order" onclick="fetch('/order', { method: 'POST' })">Order</button>
    <div id="cover" style="position: fixed; inset: 0; background: white"></div><script>${script}</script>`);
});
const url = () => `${server.origin}/`;

let host: BrowserHost;
beforeAll(async () => {
  await server.start();
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
afterAll(async () => {
  await host.close();
  await server.stop();
});

let attempts: WorkerHarness;
beforeEach(async () => {
  orders = 0;
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

const order = {
  id: 'order',
  action: 'click' as const,
  target: { role: 'button', name: 'Order' },
  timeout: 1,
  idempotent: false,
  retry: { maxAttempts: 6, backoffSeconds: 0.5, on: ['TARGET_NOT_ACTIONABLE' as const] },
};
const open = () => ({ action: 'navigate' as const, url: url() });

test('a click that another element would receive is retried, and happens once', async () => {
  script = `setTimeout(() => document.getElementById('cover').remove(), 2500)`;
  const run = attempts.assign({ steps: [open(), order] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  const retried = attempts.events(run, 'step.retrying');
  expect(retried.length).toBeGreaterThan(0);
  for (const { data } of retried)
    expect(data).toMatchObject({
      path: 'order',
      errorCode: 'TARGET_NOT_ACTIONABLE',
      error: { details: { inputSent: false } },
    });
  expect(orders).toBe(1);
}, 60_000);

test('a completed click is not repeated when its postcondition does not hold', async () => {
  script = `document.getElementById('cover').remove()`;
  const run = attempts.assign({ steps: [open(), { ...order, expect: { text: 'Thank you' } }] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'failed',
    error: { details: { inputSent: true } },
  });
  expect(attempts.events(run, 'step.retrying')).toEqual([]);
  expect(orders).toBe(1);
}, 60_000);

describe('a field that the page empties after its step', () => {
  const emptied = `document.body.innerHTML = '<label>Name <input></label>'; setTimeout(() => { document.querySelector('input').value = ''; document.title = 'late'; }, 1000)`;
  const late = { action: 'waitFor' as const, condition: { title: 'late' } };
  const enter = { target: { label: 'Name' }, text: 'Aurora' };

  test('is entered again at the end of the run, with a warning', async () => {
    script = emptied;
    const run = attempts.assign({ steps: [open(), { action: 'fill', ...enter }, late] });
    expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
    expect(attempts.events(run, 'run.log')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('label="Name" lost the value of its step fill') },
    ]);
  }, 60_000);

  test('fails the run if it cannot be entered again', async () => {
    script = emptied;
    const run = attempts.assign({ steps: [open(), { action: 'type', ...enter }, late] });
    expect(await attempts.waitForOutcome(run)).toMatchObject({
      status: 'failed',
      error: { code: 'TYPED_TEXT_DIFFERS', message: expect.stringContaining('from "Aurora" to ""') },
    });
  }, 60_000);
});
