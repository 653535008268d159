import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { chromium, type Browser } from 'playwright-core';
import { root } from './harness/bundles.ts';
import { gapsIn, findSecret } from './harness/event-sequence.ts';
import { chromiumPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';

const examples = join(root, 'docs/examples');

describe('the demo workflow', () => {
  let stack: Stack;
  let run: RunView;
  let events: RunEvent[];
  let artifacts: ArtifactView[];

  beforeAll(async () => {
    stack = await Stack.start();
    const { client, site } = stack;
    const file = join(examples, 'harbour-order.yaml');
    const definition = parseWorkflow(await readFile(file, 'utf8'), { file });
    const paper = await readFile(join(examples, 'purchase-order.pdf'));
    const { id: purchase_order } = await client.upload('Bestellung Nº 7.pdf', 'application/pdf', paper);
    const inputs = { site_url: site.url, password: DEMO_ACCOUNT.password, purchase_order };
    const { id } = await client.submit({ definition, inputs });
    run = await client.waitForEnd(id, 90_000);
    events = await client.events(id);
    artifacts = await client.artifacts(id);
  });
  afterAll(() => stack?.stop());

  test('completes and returns the extracted data as typed JSON', () => {
    expect(run).toMatchObject({ status: 'completed', error: null, attempts: 1 });
    expect(run.output).toMatchObject({
      order: 'HS-1001',
      total: 585,
      product: { sku: 'RL-1010', name: 'Mooring rope, polyester 24 mm', price: 189, stock: 64 },
    });
    const { catalogue } = run.output as { catalogue: Record<string, unknown>[] };
    expect(catalogue).toHaveLength(42);
    expect(new Set(catalogue.map(({ sku }) => sku)).size).toBe(42);
    expect(catalogue[1]).toEqual({
      sku: 'RL-1012',
      name: 'Mooring rope, polyester 32 mm',
      category: 'Ropes & lines',
      price: 296.5,
      stock: 38,
    });
  });

  test('records every step in events without a gap, intent before outcome', () => {
    expect(gapsIn(events)).toEqual([]);
    expect(events[0]?.type).toBe('run.queued');
    expect(events.at(-1)?.type).toBe('run.completed');
    const stepEvents = events.filter(({ type }) => type === 'step.started' || type === 'step.completed');
    const expected = Array.from({ length: run.stepCount }, (_, step) => [
      `step.started ${step}`,
      `step.completed ${step}`,
    ]).flat();
    expect(stepEvents.map(({ type, data }) => `${type} ${String(data['step'])}`)).toEqual(expected);
  });

  test('has a checkpoint of each step, without model calls', async () => {
    const steps = await stack.client.steps(run.id);
    expect(steps).toHaveLength(run.stepCount);
    for (const { index, status, tier } of steps)
      expect({ index, status, tier }).toEqual({ index, status: 'completed', tier: 'replay' });
  });

  test('placed the requested order once, with its file', async () => {
    const orders = await stack.site.ledger('order');
    expect(orders.map(({ detail }) => detail)).toEqual([
      expect.objectContaining({
        id: 'HS-1001',
        sku: 'RL-1010',
        quantity: 3,
        date: '2040-05-04',
        speed: 'express',
        reference: 'Pilothouse demo',
        file: expect.objectContaining({ name: 'Bestellung Nº 7.pdf', size: 744 }),
      }),
    ]);
  });

  test('stores page screenshots that can be fetched without a key', async () => {
    const screenshots = artifacts.filter(({ kind }) => kind === 'screenshot');
    expect(screenshots).toHaveLength(4);
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: ['--no-sandbox'],
    });
    try {
      for (const { url, contentType, size, name } of screenshots) {
        const response = await fetch(url);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe(contentType);
        const body = Buffer.from(await response.arrayBuffer());
        expect(body.length).toBe(size);
        const image = await decode(browser, body, contentType);
        expect({
          name,
          wide: image.width >= 800,
          high: image.height >= 500,
          colorful: image.colors > 50,
        }).toEqual({
          name,
          wide: true,
          high: true,
          colorful: true,
        });
      }
    } finally {
      await browser.close();
    }
  });

  test('stores the password nowhere: API, database, Redis, objects, logs', async () => {
    expect(findSecret(DEMO_ACCOUNT.password, await stack.dumpStoredData())).toEqual([]);
    const publicData = JSON.stringify([run, events, artifacts, await stack.client.steps(run.id)]);
    expect(publicData).not.toContain(DEMO_ACCOUNT.password);
    expect(run.inputs['password']).toBe('••••');
    // The search works: it finds public data.
    expect(findSecret(DEMO_ACCOUNT.email, await stack.dumpStoredData())).not.toEqual([]);
  });
});

/** Decodes an image in a page. @returns its size in pixels, and the number of colors in a sample */
const decoding = `async (url) => {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const colors = new Set();
  for (let at = 0; at < data.length; at += 400) colors.add(data.slice(at, at + 3).join());
  return { width: bitmap.width, height: bitmap.height, colors: colors.size };
}`;

async function decode(browser: Browser, body: Buffer, contentType: string) {
  const page = await browser.newPage();
  try {
    const url = JSON.stringify(`data:${contentType};base64,${body.toString('base64')}`);
    return await page.evaluate<{ width: number; height: number; colors: number }>(`(${decoding})(${url})`);
  } finally {
    await page.close();
  }
}
