import { setTimeout as pause } from 'node:timers/promises';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { viewports } from '../harness/console-page.ts';
import { until } from '../harness/poll-until.ts';
import { YamlField } from '../harness/yaml-field.ts';

describe('the code editor of a workflow', () => {
  const fixture = useSharedConsole();
  const page = () => fixture.viewer.page;
  const yaml = new YamlField(page);
  const option = (name: string) => page().getByRole('listbox').getByRole('option', { name, exact: true });

  const open = async () => {
    const schema = page().waitForResponse('**/workflows/schema');
    await page().goto('/workflows/new');
    await (await schema).finished();
  };

  /** Chooses the first option by Enter, which the editor ignores while the list has just opened. */
  const accept = async (name: string) => {
    await option(name).and(page().locator('[aria-selected=true]')).waitFor();
    await pause(150, undefined, { signal: AbortSignal.timeout(1000) });
    await page().keyboard.press('Enter');
  };

  test('completes keys and values of the schema, and variables', async () => {
    await open();
    await yaml.fill("name: tides\ninputs:\n  port: { type: string }\nsteps:\n  - action: navigate\n    url: '");
    await page().keyboard.press('Control+End');
    await page().keyboard.type('{{');
    await accept('inputs.port');
    await yaml.waitForText((text) => text.includes("url: '{{inputs.port}}"));

    await yaml.fill('name: tides\nsteps:\n  - action: navigate\n    url: https://example.com\n    ');
    await page().keyboard.press('Control+End');
    await page().keyboard.type('wait');
    await option('waitUntil').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await accept('waitUntil');
    await option('domcontentloaded').waitFor();
    await page().keyboard.type('dom');
    await accept('domcontentloaded');
    await yaml.waitForText((text) => text.endsWith('    waitUntil: domcontentloaded'));
  });

  test('marks problems in place, and undoes changes of the text and of the graph in one history', async () => {
    await page().goto('/workflows/new');
    const text = 'name: tides\nsteps:\n  - action: fly\n  - action: screenshot\n';
    await yaml.fill(text);
    await page().locator('.cm-lintRange-error').getByText('fly').waitFor();
    await page().locator('.cm-lint-marker-error').first().hover();
    await page().locator('.cm-tooltip-lint').waitFor();
    await page().getByRole('list', { name: 'Problems' }).getByRole('button').first().click();
    await yaml.textbox.and(page().locator(':focus')).waitFor();
    // The cursor is at the problem.
    await page().keyboard.press('Shift+End');
    await page().keyboard.type('reload');
    await yaml.waitForText((value) => value.includes('- action: reload\n'));
    await page().keyboard.press('Control+z');
    await yaml.waitForText((value) => value === text);
    await page().keyboard.press('Control+Shift+z');
    await yaml.waitForText((value) => value.includes('- action: reload\n'));

    const node = page()
      .getByRole('group', { name: 'Steps' })
      .getByRole('button', { name: /^Take a screenshot/ });
    await node.click();
    await page().locator('.cm-marked').getByText('screenshot').waitFor();
    await page().getByRole('button', { name: 'Show in YAML' }).click();
    await yaml.textbox.and(page().locator(':focus')).waitFor();
    await page().keyboard.press('End');
    await page().keyboard.type('s');
    await yaml.waitForText((value) => value.endsWith('- action: screenshots\n'));
    await page().keyboard.press('Escape');
    await page().keyboard.press('Tab');
    await until('Tab leaves the editor', () =>
      yaml.textbox.evaluate((element) => !element.contains(element.ownerDocument.activeElement)),
    );
  });

  test('works on a narrow window', async () => {
    await page().setViewportSize(viewports.narrow);
    await open();
    await yaml.textbox.click();
    await page().keyboard.press('Control+End');
    await page().keyboard.type('tim');
    await option('timeout').click();
    await yaml.waitForText((text) => text.endsWith('timeout: '));
  });
});
