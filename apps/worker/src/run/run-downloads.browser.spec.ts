import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startSite, type Site } from '@pilothouse/testing/demo-site/site-server';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';

/** Milliseconds that the site takes for its file: longer than a run takes from its last click to its end. */
const EXPORT_MS = 1500;

let site: Site;
let host: BrowserHost;
let gateway: ScriptedGateway;
let root: string;
let worker: Worker;

beforeAll(async () => {
  site = await startSite();
  host = new BrowserHost(headlessShellOptions());
  const signal = new AbortController().signal;
  await host.warm({ signal, deadline: systemClock.monotonic() + 30_000, log: memoryLog() });
}, 60_000);

afterAll(async () => {
  await host.close();
  await site.close();
});

beforeEach(async () => {
  gateway = await ScriptedGateway.start();
  root = await mkdtemp(join(tmpdir(), 'pilothouse-downloads-spec-'));
});

afterEach(async () => {
  worker.abort('the spec is over');
  await worker.completion.catch(() => undefined);
  await gateway.close();
  await rm(root, { recursive: true });
});

/** Signs in, and clicks the link that downloads all orders. */
const exporting = (): WorkflowDefinitionInput['steps'] => [
  { action: 'navigate', url: `${site.url}/login?next=${encodeURIComponent(`/orders?ms=${EXPORT_MS}`)}` },
  { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
  { action: 'fill', target: { label: 'Password' }, text: DEMO_ACCOUNT.password },
  { action: 'click', target: { role: 'button', name: 'Log in' } },
  { action: 'click', target: { text: 'Download CSV' } },
];

async function run(steps: WorkflowDefinitionInput['steps']) {
  worker = await startWorker(root, { url: gateway.url, surfaceHost: host });
  await gateway.until(() => gateway.all('ready').length > 0);
  const assignment = buildAssignment({ steps }, { capture: { screenshots: 'none' } });
  gateway.assign(assignment);
  return until('the run ends', () => gateway.log.outcome(assignment), 50_000);
}

const storedFiles = () =>
  gateway.all('upload.request').map(({ kind, name, step, contentType }) => ({ kind, name, step, contentType }));
const file = { kind: 'download', name: 'orders.csv', step: 4, contentType: 'text/csv' };

test('a download of the last click is stored before the run ends', async () => {
  expect(await run(exporting())).toMatchObject({ status: 'completed' });
  expect(storedFiles()).toEqual([file]);
  const [{ body } = { body: Buffer.alloc(0) }] = gateway.files.objects.values();
  expect(body.toString()).toMatch(/^order,sku,product,/);
}, 60_000);

test('a failed run stores earlier downloads', async () => {
  const missing = { action: 'assert', condition: { text: 'Nowhere to be seen' }, timeout: 0.1 } as const;
  expect(await run([...exporting(), missing])).toMatchObject({ status: 'failed', step: 5 });
  expect(storedFiles()).toEqual([{ ...file, step: 5 }]);
}, 60_000);
