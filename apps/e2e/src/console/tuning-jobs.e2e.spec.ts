import { until } from '@pilothouse/testing/test-helpers';
import { startTuningServer, type TuningServer } from '@pilothouse/testing/tuning-server/tuning-server';
import { useConsole } from '../harness/console.fixture.ts';
import { viewports } from '../harness/console-page.ts';
import { seedDataset, seedShadowCalls } from '../testing/model-seed.fixture.ts';

describe('tuning jobs and the model registry', () => {
  let tuner: TuningServer;
  beforeAll(async () => {
    tuner = await startTuningServer();
    tuner.onJob = (job) => {
      const loss = [1, 2, 3].map((step) => ({ step, loss: 3 / step, validationLoss: 4 / step }));
      Object.assign(job, { status: 'succeeded', model: 'tuned-rope', loss });
    };
  });
  afterAll(() => tuner.close());
  const fixture = useConsole({
    workers: 0,
    api: () => ({
      PILOTHOUSE_MODEL_ENDPOINTS: JSON.stringify({
        forge: { protocol: 'openai', baseUrl: `${tuner.url}/together/v1` },
      }),
      PILOTHOUSE_MODEL_OVERRIDES: JSON.stringify({ 'forge/base': { trainingUsdPerMillionTokens: 3 } }),
      FORGE_API_KEY: 'key-of-forge',
    }),
  });

  const expectAccessible = async () => {
    for (const viewport of Object.values(viewports)) {
      await fixture.viewer.page.setViewportSize(viewport);
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    }
  };

  /** Changes the stage of the open model, and waits for its history. */
  const changeStage = async (verb: string, reason: string) => {
    const { page } = fixture.viewer;
    await page.getByRole('button', { name: verb }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: verb }).click();
    await page.getByRole('row').filter({ hasText: reason }).waitFor();
  };

  test('a model shadows runs, and is evaluated against its base', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const dataset = await seedDataset(fixture.stack, 'orders');
    const rate = { successes: 3, trials: 4, low: 0.3, high: 0.95 };
    const result = {
      ...{ model: 'forge/bowline', dataset: 'orders@1', split: 'test', job: dataset },
      ...{
        actionMatchRate: rate,
        kindMatchRate: { ...rate, successes: 4 },
        targetMatchRate: rate,
        textMatchRate: { ...rate, successes: 0, trials: 0 },
      },
      ...{ grounding: { medianPixels: 12.4 }, usd: 0.5, latencyMs: { median: 900 }, errors: [{ count: 2 }] },
    };
    const body = {
      ...{ name: 'bowline-v1', model: 'forge/bowline', base: 'forge/base', role: 'act' },
      metrics: { 'offline:orders@1': result, finalLoss: 0.25 },
    };
    const { id } = (await client.json('/v1/registry/models', { method: 'POST', body })) as { id: string };
    await page.goto('/learning/models/bowline-v1');
    const evaluation = page.getByRole('region', { name: 'Results of evaluations' }).getByRole('row').nth(1);
    await evaluation.getByText('3 of 4 (75%)').waitFor();
    expect(await evaluation.getByRole('cell').allInnerTexts()).toEqual([
      ...['orders@1', 'forge/bowline', expect.stringContaining('95%: 30% to 95%'), '100%', '75%', '—', '12 px'],
      ...['2', '900 ms', '$0.50', 'Open'],
    ]);
    await page.getByText('Final loss').waitFor();

    await changeStage('Start shadow', 'Compare it');
    await page.getByRole('cell', { name: 'Shadow 20%' }).waitFor();
    await page.getByText('No calls yet').waitFor();
    await seedShadowCalls(fixture.stack, id, ['agreed', 'agreed', 'agreed', 'disagreed', 'undetermined', 'failed']);
    await page.reload();
    const shadow = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Shadow' }) });
    for (const text of ['3 of 4 (75%)', '95%: 30% to 95%', '$1.50', '1.2 s'])
      await shadow.getByText(text, { exact: true }).waitFor();
    await expectAccessible();

    await page.getByRole('button', { name: 'Evaluate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Dataset').selectOption('orders v1');
    await dialog.getByLabel('Budget').fill('much');
    await dialog.getByRole('button', { name: 'Evaluate' }).click();
    await dialog.getByText('Enter a number or leave blank.').waitFor();
    await dialog.getByLabel('Budget').fill('2');
    await dialog.getByRole('button', { name: 'Evaluate' }).click();
    const queued = page.getByRole('list', { name: 'Evaluations without a result' });
    await queued.getByRole('link', { name: 'Evaluation of forge/base' }).waitFor();
    await expectAccessible();
    expect(await client.json('/v1/learning/jobs?kind=evaluate')).toMatchObject({
      items: [
        { params: { model: 'forge/base', dataset }, budgetUsd: 2 },
        { params: { model: 'bowline-v1', dataset }, budgetUsd: 2 },
      ],
    });
    await queued.getByRole('link', { name: 'Evaluation of bowline-v1' }).click();
    await page.getByRole('heading', { name: 'Evaluate model bowline-v1' }).waitFor();
    await page.getByRole('link', { name: 'Model bowline-v1' }).waitFor();
  });

  test('an evaluation whose second part fails is not paid for twice', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const dataset = await seedDataset(fixture.stack, 'invoices');
    const body = { name: 'hitch-v1', model: 'forge/hitch', base: 'forge/base', role: 'act' };
    await client.json('/v1/registry/models', { method: 'POST', body });
    await page.goto('/learning/models/hitch-v1');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Dataset').selectOption('invoices v1');
    const base = dialog.getByLabel('Compare with the base');
    const setBase = (name: string) => base.evaluate((input: HTMLInputElement, value) => (input.value = value), name);
    const evaluate = dialog.getByRole('button', { name: 'Evaluate' });
    await setBase('gone/base');
    await evaluate.click();
    await dialog.getByText('The evaluation of hitch-v1 started. That of gone/base failed: ').waitFor();
    await setBase('forge/base');
    await evaluate.click();
    await dialog.waitFor({ state: 'detached' });
    const { items } = (await client.json('/v1/learning/jobs?kind=evaluate')) as { items: { params: object }[] };
    expect(
      items.map(({ params }) => params).filter((params) => 'dataset' in params && params.dataset === dataset),
    ).toMatchObject([{ model: 'forge/base' }, { model: 'hitch-v1' }]);
  });

  test.each(['/learning/jobs/nonsense', '/learning/tuning/nonsense', '/learning/models/No name'])(
    'the invalid address %s is not found',
    async (path) => {
      const { page } = fixture.viewer;
      expect((await page.goto(path))?.status()).toBe(404);
      await page.getByText('Not found').waitFor();
    },
  );

  test('a tuning job is followed from the form to the registered model', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    await page.goto('/learning/tuning');
    await page.getByText('No tuning jobs').waitFor();
    await page.getByRole('link', { name: 'New tuning job' }).click();
    await page.getByLabel('Name in the registry').fill('rope-v2');
    await page.getByLabel('Tuner', { exact: true }).selectOption('together');
    await page.getByLabel('Model endpoint').fill('elsewhere');
    await page.getByLabel('Base model').fill('base');
    await page.getByLabel('Training examples', { exact: true }).fill('0197f3c2-1a2b-7c3d-8e4f-0123456789ab');
    expect(await page.getByRole('button', { name: 'Start tuning' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.getByText('Endpoint elsewhere not found. Configured: forge.').waitFor();
    await expectAccessible();

    await page.getByLabel('Model endpoint').fill('forge');
    const buffer = Buffer.from('{"messages":[{"role":"user","content":"12345678"}]}\n'.repeat(10));
    const file = { name: 'train.jsonl', mimeType: 'application/x-ndjson', buffer };
    await page.getByLabel('Upload training examples').setInputFiles(file);
    const source = page.getByLabel('Training examples', { exact: true });
    await until('the file is uploaded', async () => /^upload:[0-9a-f-]{36}$/.test(await source.inputValue()));
    const upload = (await source.inputValue()).replace('upload:', '');
    await expectAccessible();
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.getByRole('button', { name: 'Start tuning', disabled: false }).click();
    await page.waitForURL(/\/learning\/tuning\/[0-9a-f-]{36}$/);
    expect(await client.json('/v1/learning/jobs?kind=tune')).toMatchObject({
      items: [{ params: { tuner: 'together', endpoint: 'forge', training: { upload } } }],
    });
    await fixture.stack.addJobRunner();
    await page.getByText('The model is registered as').waitFor();
    await page.getByRole('list', { name: 'States' }).getByText('completed').waitFor();
    await page.getByRole('list', { name: 'Log' }).getByText('Fine tune request created').waitFor();
    await page
      .getByRole('img', { name: /^Loss curve: Training from 3\.0000 to 1\.0000; Validation from 4\.0000/ })
      .waitFor();
    await page.getByText('$0.003').waitFor();
    await expectAccessible();
    await page.goto('/learning/tuning');
    const row = page.getByRole('row').filter({ hasText: 'rope-v2' });
    await row.getByText('Completed', { exact: true }).waitFor();
    await row.getByText('$0.003').waitFor();
    await expectAccessible();
  }, 120_000);

  test('a tuning job that failed at its tuner starts again with its values', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    tuner.onJob = (job) => void Object.assign(job, { status: 'failed', error: 'Out of memory' });
    const content = Buffer.from('{"messages":[{"role":"user","content":"12345678"}]}\n');
    const { id: upload } = await client.upload('train.jsonl', 'application/x-ndjson', content);
    const body = {
      ...{ name: 'rope-v3', tuner: 'together', endpoint: 'forge', baseModel: 'base', training: { upload } },
      ...{ hyperparameters: { epochs: 2 }, role: 'vision', dialect: 'aura' },
    };
    const { id } = (await client.json('/v1/tuning/jobs', { method: 'POST', body })) as { id: string };
    await page.goto(`/learning/tuning/${id}`);
    await page.getByText('Out of memory').first().waitFor();
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await expectAccessible();
    await page.getByRole('link', { name: /^Start again/ }).click();
    await page.getByRole('heading', { name: 'New tuning job' }).waitFor();
    const values = {
      ...{ 'Name in the registry': 'rope-v3', Tuner: 'together', 'Model endpoint': 'forge', 'Base model': 'base' },
      ...{ 'Training examples': `upload:${upload}`, Epochs: '2', Role: 'vision', Dialect: 'aura' },
    };
    for (const [label, value] of Object.entries(values))
      expect([label, await page.getByLabel(label, { exact: true }).inputValue()]).toEqual([label, value]);
    await page.getByRole('button', { name: 'Estimate cost' }).click();
    await page.getByRole('button', { name: 'Start tuning', disabled: false }).click();
    await page.waitForURL(
      (url) => /\/learning\/tuning\/[0-9a-f-]{36}$/.test(url.pathname) && !url.pathname.endsWith(id),
    );
    expect(await client.json('/v1/learning/jobs?kind=tune&limit=1')).toMatchObject({ items: [{ params: body }] });
  }, 120_000);

  test('a model is registered, tried, promoted and rolled back with reasons', async () => {
    const { page } = fixture.viewer;
    await page.goto('/learning/models/new');
    await page.getByLabel('Name', { exact: true }).fill('knot-v1');
    await page.getByLabel('Model', { exact: true }).fill('elsewhere/knot');
    await page.getByRole('button', { name: 'Register model' }).click();
    await page.getByText('Endpoint elsewhere not found. Configured: forge.').waitFor();
    await page.getByLabel('Model', { exact: true }).fill('forge/knot');
    await page.getByLabel('Role').selectOption('act');
    await page.getByRole('button', { name: 'Register model' }).click();
    await changeStage('Start canary', 'Try it');
    await page.getByText('Canary 10%').first().waitFor();
    await changeStage('Promote', 'It is better');
    await changeStage('Roll back', 'It costs too much');
    await expectAccessible();
    expect(await fixture.stack.client.json('/v1/registry/models/knot-v1')).toMatchObject({
      ...{
        stage: 'rolled_back',
        role: 'act',
        transitions: [{ reason: 'It costs too much' }, {}, { canaryPercent: 10 }],
      },
    });
    await page.goto('/learning/models');
    await page.getByRole('row').filter({ hasText: 'knot-v1' }).getByText('Rolled back').waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'knot-v1' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('row').filter({ hasText: 'knot-v1' }).waitFor({ state: 'detached' });
  });
});
