import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { YamlField } from '../harness/yaml-field.ts';

const text = (url: string, title: string) => `name: read-heading
title: ${title}
inputs:
  times: { type: integer, default: 1 }
  note: { type: string }
steps:
  - action: navigate
    url: ${url}
  - id: head
    action: extract
    target: { css: h1 }
    value: {}
output: { head: '{{steps.head.value}}', note: '{{inputs.note}}' }
`;

describe('workflows in the console', () => {
  const fixture = useSharedConsole();

  const editor = new YamlField(() => fixture.viewer.page);
  const problems = () => fixture.viewer.page.getByRole('list', { name: 'Problems' }).getByRole('listitem');

  test('one is written with errors at their lines, and created', async () => {
    const { page } = fixture.viewer;
    await page.goto('/workflows');
    await page.getByText('No workflows yet').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('link', { name: 'New workflow' }).first().click();
    const broken = text(fixture.stack.site.url, 'One').replace('action: navigate', 'action: fly');
    await editor.fill(broken);
    await problems().filter({ hasText: '7:' }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // The API reports the same errors.
    await page.getByRole('button', { name: 'Create' }).click();
    await problems().filter({ hasText: '7:' }).waitFor();
    expect(await editor.value()).toBe(broken);
    await editor.fill(text(fixture.stack.site.url, 'One'));
    await problems().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL('**/workflows/read-heading');
    await page.getByText('No runs yet.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('a new version is compared and published', async () => {
    const { page } = fixture.viewer;
    await page.goto('/workflows/read-heading');
    await page.getByRole('link', { name: 'Edit' }).click();
    await editor.textbox.waitFor();
    await editor.fill(text(fixture.stack.site.url, 'Two'));
    await page.getByRole('button', { name: 'Save draft (v2)' }).click();
    await page.waitForURL('**/workflows/read-heading?version=2');
    await page.getByLabel('Compare with').selectOption('1');
    await page.getByText('+ title: Two').waitFor();
    await page.getByText('− title: One').waitFor();
    const source = page.getByRole('region', { name: 'Workflow source (YAML)' });
    await source.getByText('title: Two').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Publish v2' }).click();
    await page.getByRole('button', { name: 'Publish v2' }).waitFor({ state: 'detached' });
    await source.getByText('title: Two').waitFor();
    expect(await fixture.stack.client.json('/v1/workflows/read-heading')).toMatchObject({
      publishedVersion: 2,
      title: 'Two',
    });
  });

  test('one is started with inputs, and its run is shown', async () => {
    const { page } = fixture.viewer;
    await page.goto('/workflows/read-heading');
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.getByLabel('times (optional)').fill('3');
    await page.getByLabel('note').fill('from a form');
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'read-heading' }).click();
    const unsaved = page.getByRole('alertdialog', { name: 'Discard changes?' });
    await unsaved.getByRole('button', { name: 'Keep editing' }).click();
    await unsaved.waitFor({ state: 'detached' });
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL('**/runs/*');
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByLabel('Output').getByText('from a form').waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    expect((await fixture.stack.client.run(id)).inputs).toEqual({ times: 3, note: 'from a form' });
    await page.goto('/workflows/read-heading');
    await page.getByRole('link', { name: 'read-heading' }).waitFor();
    await page.getByText('1 of 1').waitFor();
  });

  test('unsaved text survives a link and the back button', async () => {
    const { page } = fixture.viewer;
    await page.goto('/workflows/read-heading');
    await page.getByRole('link', { name: 'Edit' }).click();
    const editedText = text(fixture.stack.site.url, 'Not saved');
    await editor.fill(editedText);
    const dialog = page.getByRole('alertdialog', { name: 'Discard changes?' });
    const navigations: [string, () => Promise<unknown>][] = [
      ['Cancel', () => page.getByRole('link', { name: 'Cancel' }).click()],
      ['a page', () => page.getByRole('link', { name: 'Runs' }).click()],
      ['back', () => page.evaluate(() => history.back())],
    ];
    for (const [, navigate] of navigations) {
      await navigate();
      await dialog.getByRole('button', { name: 'Keep editing' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await editor.value()).toBe(editedText);
    }
    const dialogEvent = page.waitForEvent('dialog');
    void page.close({ runBeforeUnload: true });
    expect((await dialogEvent).type()).toBe('beforeunload');
    await (await dialogEvent).dismiss();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await fixture.viewer.confirm('Discard changes');
    await page.waitForURL('**/workflows/read-heading');
  });

  test('after a rollback the published version is shown and started; editing offers both', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const body = { version: 1 };
    await client.json('/v1/workflows/read-heading/publish', { method: 'POST', body });
    await page.goto('/workflows/read-heading');
    expect(await page.getByLabel('Version', { exact: true }).inputValue()).toBe('1');
    await page.getByText('title: One').waitFor();

    await page.getByText('Edit', { exact: true }).click();
    await page.getByRole('menuitem', { name: 'Edit v2 (latest draft)' }).waitFor();
    await page.getByRole('menuitem', { name: 'Edit v1 (published)' }).click();
    await page.getByText('Based on v1').waitFor();
    expect(await editor.value()).toContain('title: One');
    await page.getByRole('link', { name: 'edit v2' }).click();
    await page.getByText('Based on v2').waitFor();
    expect(await editor.value()).toContain('title: Two');

    await page.goto('/workflows/read-heading/run');
    await page.getByText('v1', { exact: true }).waitFor();
    await page.goto('/workflows/read-heading');
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.getByLabel('note').fill('rolled back');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL('**/runs/*');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect((await client.run(id)).workflow).toMatchObject({ name: 'read-heading', version: 1 });
    await client.waitForEnd(id);

    // The run page links to its workflow.
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'read-heading v1' }).click();
    await page.waitForURL('**/workflows/read-heading?version=1');
    await page.goto(`/runs/${id}`);
    await page.getByRole('tab', { name: 'Step' }).click();
    await page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: 'Read value h1' }).click();
    await page.getByRole('link', { name: 'Edit this step' }).click();
    await page.waitForURL('**/workflows/read-heading/edit?version=1#at=head');
    await page.getByRole('heading', { name: 'extract', level: 3 }).waitFor();

    // The selected version is started and edited.
    await page.goto('/workflows/read-heading?version=2');
    await page.getByRole('link', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { name: 'Run read-heading' }).waitFor();
    await page.getByText('v2', { exact: true }).waitFor();
    await client.json('/v1/workflows/read-heading/publish', { method: 'POST', body: { version: 2 } });
  });

  test('show an image, of a run or uploaded, and run statistics', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const { id } = await client.submit({
      workflow: 'read-heading',
      inputs: { note: 'x' },
      capture: { screenshots: 'on' },
    });
    expect((await client.waitForEnd(id)).status).toBe('completed');
    await page.goto('/workflows');
    const row = page.getByRole('row', { name: /read-heading/ });
    await row.getByText('3 of 3').waitFor();
    await row.getByText('deterministic').waitFor();
    await row.getByText('Completed').waitFor();
    const thumbnail = page.locator('main img[alt=""]');
    /** Natural width of the image, if it is loaded. */
    const widthOf = () =>
      thumbnail.evaluate(async (image) => {
        // @ts-expect-error: in the page
        await image.decode();
        return (image as unknown as { naturalWidth: number }).naturalWidth;
      });
    expect(await widthOf()).toBeGreaterThan(700);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    await row.getByRole('link', { name: 'read-heading' }).click();
    await page.getByText('3 of 3').waitFor();
    await page.getByLabel('Workflow thumbnail').setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } }),
    });
    await page.getByRole('button', { name: 'Remove thumbnail' }).waitFor();
    // The image changes while the page is open.
    await until('it is the uploaded one', async () => (await widthOf().catch(() => 0)) === 640);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Remove thumbnail' }).click();
    await fixture.viewer.confirm('Remove thumbnail');
    await page.getByRole('button', { name: 'Add thumbnail' }).waitFor();
    await page.getByLabel('Workflow thumbnail').setInputFiles({
      name: 'notes.png',
      mimeType: 'image/png',
      buffer: Buffer.from('no image'),
    });
    await page.getByRole('alert').getByText('notes.png is not a supported image').waitFor();
  });

  test('a new run is listed and canceled by key, but not by a viewer', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const steps = [
      { action: 'navigate', url: site.url },
      { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 300 },
    ];
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: { name: 'wait-long', steps } });
    await page.goto('/workflows/wait-long');
    await page.getByText('No runs yet.').waitFor();
    const first = await client.submit({ workflow: 'wait-long' });
    const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /wait-long/ }) });
    await row.getByText('Running').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await row.getByRole('link').press('Tab');
    await row
      .locator(':focus')
      .and(row.getByRole('button', { name: /^Cancel wait-long/ }))
      .press('Enter');
    await fixture.viewer.confirm('Cancel run');
    await row.getByText('Cancelled', { exact: true }).waitFor();
    await row.getByRole('button').waitFor({ state: 'detached' });
    expect((await client.run(first.id)).status).toBe('cancelled');

    const body = { name: 'reader', role: 'viewer' };
    const { key } = (await client.json('/v1/api-keys', { method: 'POST', body })) as { key: string };
    const { id } = await client.submit({ workflow: 'wait-long' });
    await fixture.viewer.signInWithKey(key);
    await page.goto('/workflows/wait-long');
    await row.getByText('Running').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    await client.cancel(id);
    await row.getByText('Running').waitFor({ state: 'detached' });
  });
});
