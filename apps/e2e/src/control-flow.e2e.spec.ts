import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { gapsIn } from './harness/event-sequence.ts';
import { Stack } from './harness/stack.ts';

const file = join(import.meta.dirname, '../../../docs/examples/low-stock.yaml');

describe('a workflow with control flow', () => {
  let stack: Stack;
  beforeEach(async () => {
    stack = await Stack.start({ workers: 2 });
  });
  afterEach(() => stack?.stop());

  test('survives a lost worker in a loop, and reports its position', async () => {
    const { client } = stack;
    const definition = parseWorkflow(readFileSync(file, 'utf8'));
    const inputs = { site_url: stack.site.url, password: DEMO_ACCOUNT.password, limit: 40 };
    const { id } = await client.submit({ definition, inputs });
    await client.waitForEvent(id, ({ type, data }) => type === 'step.completed' && data['path'] === 'products[2]/1');
    const { worker: holder } = await client.run(id);
    const worker = stack.workers.find(({ name }) => name === holder);
    if (!worker) throw new Error(`The run says it is on ${holder}`);
    await worker.kill();

    const run = await client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', error: null, attempts: 2 });
    const { products } = run.output as { products: { sku: string; stock: number; name: string }[] };
    expect(products.length).toBeGreaterThan(3);
    expect(
      products.every(({ sku, stock, name }) => /^[A-Z]{2}-\d{4}$/.test(sku) && stock < 40 && name.length > 3),
    ).toBe(true);
    expect(new Set(products.map(({ sku }) => sku)).size).toBe(products.length);

    const events = await client.events(id);
    expect(gapsIn(events)).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(DEMO_ACCOUNT.password);
    const startedPaths = events
      .filter(({ type, epoch }) => type === 'step.started' && epoch === 2)
      .map(({ data }) => data['path']);
    expect(startedPaths.every((path) => String(path).startsWith('products['))).toBe(true);
    const steps = await client.steps(id);
    expect(steps.map(({ path }) => path).slice(0, 7)).toEqual([
      '1',
      '2/1',
      '2/2',
      '2/3',
      '4[1]/rows',
      '4[1]/more',
      '4[1]/next',
    ]);
    expect(steps.filter(({ path }) => path.startsWith('products['))).toHaveLength(2 * products.length);
    expect(steps.every(({ status, title }) => status === 'completed' && !title.includes('not there'))).toBe(true);
  });
});
