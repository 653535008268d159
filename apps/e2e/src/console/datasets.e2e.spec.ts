import { useConsole } from '../harness/console.fixture.ts';
import { keyboardViolations } from '../harness/keyboard-audit.ts';
import { removeSeededRun, seedTrace } from '../testing/trace-seed.fixture.ts';

describe('datasets and background jobs in the console', () => {
  const fixture = useConsole({ workers: 0 });
  let dataset = '';
  let deletedRun = '';

  beforeAll(async () => {
    const { stack } = fixture;
    await stack.addJobRunner();
    await seedTrace(stack, {
      workflow: 'order-supplies',
      steps: [{}, {}, { quality: 'bad' }, { screenshot: 'missing', record: { goal: 'Order two ropes' } }],
    });
    deletedRun = await seedTrace(stack, { workflow: 'pay-invoice', steps: [{}, {}] });
  });

  const openDataset = async () => {
    const { page } = fixture.viewer;
    await page.goto(`/learning/datasets/${dataset}`);
    await page.getByRole('heading', { name: 'order-steps v1' }).waitFor();
    return page;
  };

  test('empty lists explain the next action', async () => {
    const { page } = fixture.viewer;
    await page.goto('/learning/datasets');
    await page.getByText('No datasets yet').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.goto('/learning/jobs');
    await page.getByText('No background jobs yet').waitFor();
    await page.getByRole('link', { name: 'Build a dataset' }).click();
    await page.getByRole('heading', { name: 'New dataset' }).waitFor();
  });

  test('a dataset is created with errors at their fields, and its card is shown after the build', async () => {
    const { page } = fixture.viewer;
    await page.goto('/learning/datasets/new');
    await page.getByLabel('Name of the dataset').fill('Order Steps');
    await page.getByLabel('Train (%)').fill('90');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByText('The shares add up to 110%.').waitFor();
    await page.locator('[aria-invalid=true]').and(page.getByLabel('Train (%)')).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Train (%)').fill('80');
    await page.getByLabel('Workflows').fill('order-supplies\npay-invoice\nNo slug');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    // The API reports these.
    await page.locator('[aria-invalid=true]').and(page.getByLabel('Name of the dataset')).waitFor();
    await page.locator('[aria-invalid=true]').and(page.getByLabel('Workflows')).waitFor();
    await page.getByLabel('Name of the dataset').fill('order-steps');
    await page.getByLabel('Workflows').fill('order-supplies\npay-invoice');
    await page.getByLabel('License').fill('CC-BY-4.0');
    await page.getByRole('button', { name: 'Create dataset' }).click();

    await page.getByRole('heading', { name: 'order-steps v1' }).waitFor();
    dataset = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const omission = page.getByRole('row').filter({ hasText: 'The screenshot is missing' });
    await omission.getByRole('link', { name: '/4' }).waitFor();
    await page.getByText('CC-BY-4.0').waitFor();
    const { card } = (await fixture.stack.client.json(`/v1/datasets/${dataset}`)) as { card: { sha256: string } };
    await page.getByText(card.sha256).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await keyboardViolations(page)).toEqual([]);

    await page.goto('/learning/datasets/new');
    await page.getByLabel('Name of the dataset').fill('order-steps');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByText('The dataset order-steps exists.').waitFor();
  });

  test('an export reports steps that its format does not support, and its files are downloaded', async () => {
    const page = await openDataset();
    await page.getByLabel('Raw').check();
    await page.getByRole('combobox', { name: 'Method' }).waitFor();
    expect(await page.getByRole('option', { name: 'Preference' }).isDisabled()).toBe(true);
    await page.getByLabel('Together').check();
    for (const part of ['Train', 'Validation', 'Test']) await page.getByLabel(part, { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Create export' }).click();
    await page.getByText('Select at least one split.').waitFor();
    for (const part of ['Train', 'Validation', 'Test']) await page.getByLabel(part, { exact: true }).check();
    await page.getByRole('button', { name: 'Create export' }).click();
    await page.getByText('Steps that this format does not support').click();
    await page.getByText('The step is bad and has no correction: 1 step').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    const { items } = (await fixture.stack.client.json(`/v1/datasets/${dataset}/exports`)) as {
      items: { id: string; files: { name: string }[] }[];
    };
    const train = page.getByRole('link', { name: 'Tune with this export' });
    expect(await train.getAttribute('href')).toBe(`/learning/tuning/new?export=${items[0]?.id}`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'report.json' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({
      rejected: [{ reason: 'The step is bad and has no correction', count: 1 }],
    });
  });

  test('jobs are filtered, and their pages link to their results', async () => {
    const { page } = fixture.viewer;
    await page.goto('/learning/jobs');
    await page.getByRole('row').filter({ hasText: 'Build dataset' }).getByText('Completed').waitFor();
    await page.getByRole('row').filter({ hasText: 'Export dataset' }).getByText('Completed').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Kind').selectOption('export');
    await page.waitForURL((url) => url.searchParams.get('kind') === 'export');
    await page.getByRole('row').filter({ hasText: 'Build dataset' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Export dataset' }).click();
    await page.getByRole('heading', { name: 'Export dataset' }).waitFor();
    await page.getByText('100%').or(page.getByText('of 5 steps')).first().waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await keyboardViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await page.getByRole('heading', { name: 'order-steps v1' }).waitFor();
  });

  test('a failed job explains what to do, and is retried and cancelled', async () => {
    const { page } = fixture.viewer;
    await page.goto('/learning/datasets/new');
    await page.getByLabel('Name of the dataset').fill('nothing');
    await page.getByLabel('Workflows').fill('unknown-workflow');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByText('The query selects no steps.').waitFor();
    await page.getByRole('link', { name: 'Show the job' }).click();
    await page.getByRole('heading', { name: 'Build dataset' }).waitFor();
    await page.getByText('VALIDATION_FAILED').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // Without a job runner the retried job stays queued.
    for (const jobRunner of fixture.stack.jobRunners.splice(0)) await jobRunner.stop();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Queued', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await fixture.viewer.confirm('Cancel job');
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await fixture.stack.addJobRunner();
  });

  test('a dataset with deleted data is stale, its next version is built, and it is deleted', async () => {
    await removeSeededRun(fixture.stack, deletedRun);
    const page = await openDataset();
    await page.getByText('Data of this version was deleted.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Build next version' }).click();
    await page.getByRole('heading', { name: 'order-steps v2' }).waitFor();
    await page.getByRole('heading', { name: 'Content' }).waitFor();
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: 'v1 (stale)' }).click();
    await page.getByRole('heading', { name: 'order-steps v1' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await fixture.viewer.confirm('Delete dataset');
    await page.getByRole('link', { name: 'order-steps v2' }).waitFor();
    expect((await fixture.stack.client.request(`/v1/datasets/${dataset}`)).status).toBe(404);
  });
});
