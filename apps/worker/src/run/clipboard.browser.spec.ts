import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { BrowserHost } from '@pilothouse/surface-browser';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVirtualDisplay, type VirtualDisplay } from '../surface/virtual-display.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

let site: TestServer;
let origin: string;

beforeAll(async () => {
  site = new TestServer((request, response) => {
    const order = new URL(request.url ?? '/', 'http://site').searchParams.get('order');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>Order</title><button onclick="navigator.clipboard.writeText('${order}')">Copy</button>
      <label>Note <textarea></textarea></label><label>Other <textarea></textarea></label>`);
  });
  await site.start();
  origin = site.origin;
});

afterAll(async () => {
  await site.stop();
});

type Source = Parameters<typeof buildAssignment>[0];

/** On a display the clipboard and the selection belong to the X server: all of its windows share them. */
describe.each([
  ['headless', false],
  ['headed', true],
])('the clipboard of a run, %s', (_, isHeaded) => {
  let display: VirtualDisplay | null = null;
  let host: BrowserHost;
  let gateway: ScriptedGateway;
  let root: string;
  let worker: Worker;

  beforeAll(async () => {
    display = isHeaded ? await startVirtualDisplay({ PATH: process.env.PATH ?? '' }, memoryLog(), tmpdir()) : null;
    if (isHeaded && !display) throw new Error('There is no Xvfb (Debian: apt-get install xvfb)');
    host = new BrowserHost(
      display
        ? {
            headless: false,
            args: [`--display=${display.name}`],
            environment: { PATH: process.env.PATH ?? '', XAUTHORITY: display.authority },
          }
        : {},
    );
    const signal = new AbortController().signal;
    await host.warm({ signal, deadline: systemClock.monotonic() + 30_000, log: memoryLog() });
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-clipboard-spec-'));
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host });
    await gateway.until(() => gateway.all('ready').length > 0);
  }, 60_000);

  afterAll(async () => {
    worker?.abort('the spec is over');
    await worker?.completion.catch(() => undefined);
    await host.close();
    await gateway.close();
    await display?.stop();
    await rm(root, { recursive: true });
  });

  const open = (order: string) => ({ action: 'navigate' as const, url: `${origin}/?order=${order}` });
  const note = { label: 'Note' };
  const readNote = { id: 'note', action: 'extract' as const, target: note, value: {} };

  /** Executes runs concurrently. @returns their outcomes */
  async function runAll(...runs: Source[]) {
    const assignments = runs.map((source) => buildAssignment(source));
    // A run ends before its slot is free.
    const free = () => gateway.all('ready').at(-1)?.freeSlots ?? 0;
    await until('the worker has slots for them', () => free() >= runs.length, 50_000);
    for (const assignment of assignments) gateway.assign(assignment);
    const outcomes = () => assignments.map((assignment) => gateway.log.outcome(assignment));
    await until('the runs end', () => outcomes().every((outcome) => outcome !== undefined), 50_000);
    return outcomes();
  }

  test('two runs of a worker copy and paste independently', async () => {
    const outcomes = await runAll(
      ...['17', '18'].map((order): Source => ({
        steps: [
          open(order),
          { action: 'click', target: { role: 'button' } },
          { id: 'order', action: 'readClipboard' },
          { action: 'writeClipboard', text: 'Order {{steps.order.value}}' },
          { action: 'press', key: 'ControlOrMeta+V', target: note },
          readNote,
        ],
        output: { order: '{{steps.order.value}}', note: '{{steps.note.value}}' },
      })),
    );
    expect(outcomes).toMatchObject([
      { status: 'completed', output: { order: '17', note: 'Order 17' } },
      { status: 'completed', output: { order: '18', note: 'Order 18' } },
    ]);
  }, 60_000);

  test('text that one run copied or selected is not pasted by another', async () => {
    const text = 'copied in private';
    const copying: Source = {
      steps: [
        open('19'),
        { action: 'fill', target: note, text },
        { action: 'press', key: 'ControlOrMeta+A', target: note },
        { action: 'press', key: 'ControlOrMeta+C', target: note },
        { action: 'press', key: 'ControlOrMeta+V', target: { label: 'Other' } },
        { ...readNote, target: { label: 'Other' } },
      ],
      output: '{{steps.note.value}}',
    };
    const pasting: Source = {
      steps: [
        open('20'),
        { action: 'click', target: note, button: 'middle' },
        { action: 'press', key: 'ControlOrMeta+V', target: note },
        { action: 'press', key: 'Shift+Insert', target: note },
        readNote,
      ],
      output: '{{steps.note.value}}',
    };
    expect(await runAll(copying)).toMatchObject([{ status: 'completed', output: text }]);
    expect(await runAll(pasting)).toMatchObject([{ status: 'completed', output: '' }]);
  }, 60_000);
});
