import { ControlTestSite, positions } from '../harness/control-test-site.ts';
import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { YamlField } from '../harness/yaml-field.ts';

const text = (url: string) => `name: read-prices
inputs:
  note: { type: string, default: none }
steps:
  # where it begins
  - action: navigate
    url: ${url}/public/widgets
  - id: each
    action: forEach
    in: "[1, 2]"
    steps:
      - action: screenshot
  - id: head
    action: extract
    target: { css: h1 }
    value: {}
output: { head: "{{steps.head.value}}" }
`;

describe('the graph of a workflow', () => {
  const fixture = useSharedConsole();
  const page = () => fixture.viewer.page;
  const yaml = new YamlField(() => fixture.viewer.page);
  const graph = () => page().getByRole('group', { name: 'Steps' });
  const node = (name: string) => graph().getByRole('button', { name });
  const problems = () => page().getByRole('list', { name: 'Problems' }).getByRole('listitem');
  /** Waits until the text contains a substring, or no longer does. */
  const waitForText = (part: string, isIncluded = true) =>
    yaml.waitForText((value) => value.includes(part) === isIncluded);

  /** Drags a step above another one, once both are stable. */
  const dragAbove = async (source: string, target: string) => {
    await node(source).hover({ position: { x: 40, y: 10 } });
    const [sourceBox, targetBox] = [await node(source).boundingBox(), await node(target).boundingBox()];
    if (!sourceBox || !targetBox) throw new Error('A step is not to be seen');
    await page().mouse.move(sourceBox.x + 40, sourceBox.y + sourceBox.height / 2);
    await page().mouse.down();
    await page().mouse.move(targetBox.x + 40, targetBox.y + targetBox.height / 2, { steps: 8 });
    await page().mouse.move(targetBox.x + 40, targetBox.y - 8, { steps: 4 });
    await page().mouse.up();
  };

  test('is edited by mouse, form, keyboard and text, in sync', async () => {
    await page().goto('/workflows/new');
    await yaml.fill(text(fixture.stack.site.url));
    await node('forEach').waitFor();
    await node('navigate').click();
    const url = `${fixture.stack.site.url}/public/widgets`;
    await until('its form shows it', async () => {
      const urlField = page().getByLabel('url', { exact: true });
      return (await urlField.inputValue()) === url;
    });

    // By the form: a missing value is reported at the field, the node and the line.
    await page().getByRole('button', { name: 'Add step after' }).click();
    await page().getByLabel('Search actions').fill('clic');
    await page().getByLabel('Search actions').press('Enter');
    await problems().filter({ hasText: 'target' }).waitFor();
    await graph()
      .getByRole('button', { name: /^click.*target/ })
      .waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().getByLabel('Add field to target').selectOption('css');
    await page().getByRole('textbox', { name: 'target css' }).fill('h1');
    await problems().first().waitFor({ state: 'detached' });
    await waitForText('  - action: click\n    target:\n      css: h1\n');
    // Unedited text is unchanged.
    await waitForText('  # where it begins\n  - action: navigate\n');

    // By keyboard: into the block and out again.
    await node('click').focus();
    await page().keyboard.press('Alt+ArrowDown');
    await waitForText('      - action: screenshot\n  - action: click');
    await page().keyboard.press('Alt+ArrowRight');
    await waitForText('      - action: screenshot\n      - action: click\n        target:');
    await page().keyboard.press('Alt+ArrowLeft');
    await waitForText('      - action: screenshot\n  - action: click\n');
    await page().keyboard.press('Delete');
    await waitForText('action: click', false);
    await page().keyboard.press('Control+z');
    await waitForText('  - action: click');
    await page().keyboard.press('Control+Shift+z');
    await waitForText('action: click', false);
    await node('click').waitFor({ state: 'detached' });

    // A step added by keyboard focuses its form; Escape returns to the node.
    await node('navigate').focus();
    await page().keyboard.press('a');
    await page().getByLabel('Search actions').fill('press');
    await page().getByLabel('Search actions').press('Enter');
    await waitForText('action: press');
    await page().waitForFunction(
      () =>
        document.activeElement?.matches('input, select, textarea') && !document.activeElement.closest('[role=dialog]'),
    );
    await page().keyboard.press('Escape');
    await node('press').and(page().locator(':focus')).waitFor();
    await page().keyboard.press('Delete');
    await waitForText('action: press', false);

    // By mouse: the last step is dragged into the block, above its step.
    await dragAbove('extract', 'screenshot');
    await waitForText('    steps:\n      - id: head\n        action: extract');
    await page().getByRole('button', { name: 'Undo' }).click();
    await waitForText('      - action: screenshot\n  - id: head');

    // By text: the graph follows, and is kept while the YAML is invalid.
    const originalYaml = await yaml.value();
    await yaml.fill(originalYaml.replace('action: screenshot', 'action: reload'));
    await node('reload').waitFor();
    await yaml.fill('steps: [');
    await page().getByText('The graph shows the last valid version.').waitFor();
    await yaml.fill(originalYaml);
    await node('screenshot').waitFor();
    await page().getByRole('button', { name: 'Create' }).click();
    await page().waitForURL('**/workflows/read-prices');
    expect(await fixture.stack.client.json('/v1/workflows/read-prices')).toMatchObject({
      publishedVersion: null,
      source: originalYaml,
    });
    await page().getByRole('link', { name: 'Edit' }).click();
    await until('the text is there', async () => (await yaml.value()) === originalYaml);
  });

  test('shows branches as lists, with drag and drop of steps', async () => {
    await page().goto('/workflows/new');
    await yaml.fill(`name: side
steps:
  - action: parallel
    branches:
      rate: {action: http, url: 'https://a.example'} # as it is
      shop:
        - action: navigate
          url: https://b.example
        - action: screenshot
  - action: press
    key: Enter
`);
    await node('parallel').getByText('https://a.example').waitFor();
    await graph().getByText('shop', { exact: true }).waitFor();
    await dragAbove('press', 'screenshot');
    await waitForText(
      '          url: https://b.example\n        - action: press\n          key: Enter\n        - action: screenshot',
    );
    await waitForText("      rate: {action: http, url: 'https://a.example'} # as it is\n");
    await node('press').focus();
    await page().keyboard.press('Alt+ArrowLeft');
    await waitForText('        - action: screenshot\n  - action: press\n    key: Enter\n');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('is tested, published, and rolled back', async () => {
    const { client, site } = fixture.stack;
    await client.json('/v1/workflows?publish=true', {
      method: 'POST',
      body: {
        name: 'round',
        steps: [
          { action: 'navigate', url: `${site.url}/public/widgets` },
          { action: 'forEach', in: '[1, 2]', steps: [{ action: 'screenshot', title: 'Look' }] },
          { action: 'click', target: { role: 'button', name: 'Nowhere' }, timeout: 1 },
        ],
      },
    });
    await page().goto('/workflows/round/edit');
    // The sentences of the run page.
    await node('Click button “Nowhere”').waitFor();
    await page().getByRole('button', { name: 'Wide YAML' }).press('Enter');
    await graph().waitFor({ state: 'hidden' });
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await yaml.textbox.press('Escape');
    await graph().waitFor();
    await page().getByRole('button', { name: 'Test run' }).click();
    for (const label of [/^Click button “Nowhere”.*Failed/, /^Open .*Done/, /^Look.*Done/, /^forEach.*Done/])
      await graph().getByRole('button', { name: label }).waitFor();
    await page().getByRole('status').getByText('Failed').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    await node('click').click();
    await page().getByRole('button', { name: 'Delete' }).click();
    await page().getByLabel('YAML view').selectOption('diff');
    await page().getByRole('region', { name: 'Diff' }).getByText('−   - action: click').waitFor();
    await page().getByRole('button', { name: 'Save draft (v2)' }).click();
    await page().waitForURL('**/workflows/round?version=2');
    await page().getByRole('button', { name: 'Publish v2' }).click();
    await page().getByRole('button', { name: 'Publish v2' }).waitFor({ state: 'detached' });
    const { id } = await client.submit({ workflow: 'round' });
    expect((await client.waitForEnd(id)).status).toBe('completed');

    await page().getByLabel('Version', { exact: true }).selectOption('1');
    await page().getByRole('button', { name: 'Roll back to v1' }).click();
    await fixture.viewer.confirm('Roll back');
    await page().getByText('v1 published').waitFor();
    await page().getByRole('button', { name: 'Roll back to v1' }).waitFor({ state: 'detached' });
    expect(await client.json('/v1/workflows/round')).toMatchObject({ publishedVersion: 1, latestVersion: 2 });
  });

  test('picks a target on a live page by mouse and keyboard, without events in the page', async () => {
    const site = await ControlTestSite.start();
    try {
      const { client } = fixture.stack;
      const [first] = (site.definition as { steps: { url: string }[] }).steps;
      await page().goto('/workflows/new');
      await yaml.fill(
        `name: picked\nsteps:\n  - action: navigate # there\n    url: ${first?.url}\n  - action: click\n    target: { css: h1 }\n`,
      );
      await node('click').click();
      const dialog = page().getByRole('dialog', { name: 'Pick an element' });
      const inView = dialog.getByRole('list', { name: 'Visible elements' });
      const startPicking = async () => {
        await page().getByRole('button', { name: 'Pick element for target' }).click();
        await dialog.getByRole('button', { name: 'Start test run' }).click();
        await inView.getByRole('button', { name: 'button Go' }).waitFor();
        return (await dialog.getByRole('link', { name: 'View run' }).getAttribute('href'))?.split('/').at(-1) ?? '';
      };
      const byMouse = await startPicking();
      const screencast = dialog.getByRole('img', { name: 'Live browser view' });
      const hover = async () => {
        await page().mouse.move(1, 1);
        const label = dialog.getByRole('status').getByText('button “Go”');
        await label.waitFor({ state: 'detached' });
        // The list appears before the image, and the dialog grows with it.
        let previousBox = '';
        const { x, y, width, height } = await until('the live view stays in place', async () => {
          const box = await screencast.boundingBox();
          const isStable = JSON.stringify(box) === previousBox;
          previousBox = JSON.stringify(box);
          return isStable && box && box.width > 300 && box;
        });
        await page().mouse.move(x + (positions.resume.x / 1000) * width, y + (positions.resume.y / 1000) * height);
        await label.waitFor();
      };
      await hover();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      // The check changes the size of the window.
      await hover();
      await page().mouse.down();
      await page().mouse.up();
      await dialog.waitFor({ state: 'detached' });
      await waitForText('  - action: navigate # there\n');
      await waitForText('    target:\n      - role: button\n        name: Go\n');

      const byKeys = await startPicking();
      await dialog.getByLabel('Search visible elements').fill('name');
      await inView.getByRole('button').first().press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await waitForText('    target:\n      - role: textbox\n        name: Name\n');
      for (const run of [byMouse, byKeys])
        await until(
          'the run is cancelled',
          async () => (await client.run(run)).status === 'cancelled' || undefined,
          60_000,
        );
      expect(site.clickCount).toBe(0);
    } finally {
      site.stop();
    }
  });

  test('a recording is imported, and a workflow exported', async () => {
    const { page: viewerPage } = fixture.viewer;
    const steps = [
      { type: 'navigate', url: fixture.stack.site.url },
      { type: 'click', selectors: [['aria/Sign in[role="button"]'], ['#go']] },
      { type: 'scroll', x: 0, y: 100 },
    ];
    const buffer = Buffer.from(JSON.stringify({ title: 'Sign in', steps }));
    const file = { name: 'recording.json', mimeType: 'application/json', buffer };
    await viewerPage.goto('/workflows/new');
    await node('navigate').waitFor();
    await viewerPage.getByLabel('Workflow or recording').setInputFiles(file);
    await viewerPage.getByText('Step 3 (scroll)').waitFor();
    await waitForText('name: sign-in');
    await node('click').waitFor();
    await viewerPage.getByRole('button', { name: 'Create' }).click();
    await viewerPage.waitForURL('**/workflows/sign-in');
    for (const [name, suggested] of [
      ['YAML', 'sign-in.yaml'],
      ['Playwright', 'sign-in.spec.ts'],
    ] as const) {
      await viewerPage.getByRole('button', { name: 'Export' }).click();
      const downloading = viewerPage.waitForEvent('download');
      await viewerPage.getByRole('menuitem', { name }).click();
      expect((await downloading).suggestedFilename()).toBe(suggested);
    }
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });
});
