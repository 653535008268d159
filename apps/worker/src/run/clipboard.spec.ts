import { BrowserHost } from '@pilothouse/surface-browser';
import { assignmentOf, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../testing/worker.fixture.ts';

let site: Server;
let origin: string;

beforeAll(async () => {
  site = createServer((request, response) => {
    const order = new URL(request.url ?? '/', 'http://site').searchParams.get('order');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>Order</title><button onclick="navigator.clipboard.writeText('${order}')">Copy</button>
      <label>Note <textarea></textarea></label>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

afterAll(async () => {
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
});

test('two runs of a worker take what their pages copied, and paste it', async () => {
  const gateway = await ScriptedGateway.start();
  const root = await mkdtemp(join(tmpdir(), 'pilothouse-clipboard-spec-'));
  const host = new BrowserHost({});
  const worker = await startWorker(root, { url: gateway.url, host });
  try {
    await gateway.until(() => gateway.all('ready').length > 0);
    const note = { label: 'Note' };
    const assignments = ['17', '18'].map((order) =>
      assignmentOf({
        steps: [
          { action: 'navigate', url: `${origin}/?order=${order}` },
          { action: 'click', target: { role: 'button' } },
          { id: 'order', action: 'clipboard' },
          { action: 'clipboard', text: 'Order {{steps.order.value}}' },
          { action: 'press', key: 'ControlOrMeta+V', target: note },
          { id: 'note', action: 'extract', target: note, value: {} },
        ],
        output: { order: '{{steps.order.value}}', note: '{{steps.note.value}}' },
      }),
    );
    for (const assignment of assignments) gateway.assign(assignment);
    const outcomes = () => assignments.map((assignment) => gateway.log.outcome(assignment));
    await gateway.until(() => outcomes().every((outcome) => outcome !== undefined), 'both runs end');
    expect(outcomes()).toMatchObject([
      { status: 'completed', output: { order: '17', note: 'Order 17' } },
      { status: 'completed', output: { order: '18', note: 'Order 18' } },
    ]);
  } finally {
    worker.leaveNow('the spec is over');
    await worker.ended.catch(() => undefined);
    await host.close();
    await gateway.close();
    await rm(root, { recursive: true });
  }
}, 60_000);
