import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { call } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startDesktopRuntime, type DesktopRuntime } from '../../testing/desktop-runtime.fixture.ts';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';

/*
 * Steps whose element has another name in a real application. The model is a policy that sees only the prompt.
 */

let desktop: DesktopRuntime;
let attempts: WorkerHarness;

beforeAll(async () => {
  desktop = await startDesktopRuntime();
}, 60_000);
afterAll(async () => expect(await desktop.close()).toEqual([]), 30_000);

beforeEach(async () => {
  attempts = await WorkerHarness.start(desktop.host);
});
afterEach(() => attempts.stop());

/** Opens the dialog to save a file, and clicks a button of it. */
const start = (name: string, fields: Partial<WorkflowDefinitionInput> = {}) =>
  attempts.assign({
    surface: 'desktop',
    heal: 'auto',
    steps: [
      { action: 'openApp', app: 'org.xfce.mousepad' },
      { action: 'type', text: 'kept' },
      { action: 'press', key: 'Control+S' },
      { action: 'waitFor', condition: { title: 'Save As' } },
      { action: 'fill', target: { label: 'Name' }, text: 'kept.txt' },
      { id: 'save', action: 'click', target: { role: 'button', name, exact: true }, timeout: 3 },
      { action: 'waitFor', condition: { title: 'kept.txt' } },
      { action: 'extract', id: 'text', target: { role: 'textbox' }, value: {} },
    ],
    output: '{{steps.text.value}}',
    ...fields,
  });
const healed = (run: Assignment) => attempts.events(run, 'step.healed').map(({ data }) => data);

test('a button with a similar name is used instead of the old one, and its locators are recorded', async () => {
  const run = start('save');
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'kept' });
  expect(healed(run)).toMatchObject([
    {
      method: 'similarity',
      tier: 'replay',
      element: 'button "Save"',
      previousLocators: [{ role: 'button', name: 'save', exact: true }],
      locators: expect.arrayContaining([{ role: 'button', name: 'Save', exact: true }]),
    },
  ]);
}, 120_000);

test('a model chooses the button that was renamed', async () => {
  attempts.follow((prompt) => [call('click', { element: prompt.element(/button "Save"/) })]);
  const run = start('Keep the document');
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'kept' });
  expect(healed(run)).toMatchObject([{ method: 'text-model', tier: 'text', element: 'button "Save"' }]);
  expect(attempts.requests).toMatchObject([{ surface: 'desktop', prompt: { name: 'heal-text-desktop' } }]);
}, 120_000);

test('a button that was renamed in an earlier run is found by the locators of that run', async () => {
  attempts.gateway.locators = [{ role: 'button', name: 'Save', exact: true }];
  const run = start('Keep the document');
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'kept' });
  expect(healed(run)).toMatchObject([{ method: 'earlier-run', element: 'button "Save"' }]);
}, 120_000);

test('a step fails with the reasons if no element is similar', async () => {
  const run = start('Keep the document');
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'failed',
    error: { code: 'TARGET_NOT_FOUND', message: expect.stringContaining('no model is configured') },
  });
}, 120_000);
