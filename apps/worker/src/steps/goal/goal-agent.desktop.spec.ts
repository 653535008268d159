import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startDesktopRuntime, type DesktopRuntime } from '../../testing/desktop-runtime.fixture.ts';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';

/*
 * An agent on a real desktop with real applications. The model is a policy that sees only the prompt.
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

const start = (steps: WorkflowDefinitionInput['steps'], output: Json = null) =>
  attempts.assign({ surface: 'desktop', steps, output });
const goal = (text: string, fields: Partial<GoalStep> = {}): GoalStep => ({
  action: 'goal',
  id: 'goal',
  goal: text,
  ...fields,
});
const notes = (run: Assignment) => attempts.events(run, 'agent.note').map(({ data }) => String(data['note']));

/** Writes a text in an editor and saves it under a name. */
const writer =
  (text: string, file: string): ScriptedPolicy =>
  (prompt) => {
    const { page } = prompt;
    if (page.includes('no window is active')) return [call('openApp', { app: 'Mousepad', app_or_title: 'mousepad' })];
    if (page.startsWith('Save As'))
      return page.includes(`= "${file}"`)
        ? [call('press', { key: 'Enter', app_or_title: file })]
        : [call('type', { element: prompt.element(/textbox .*Name/), text: file })];
    if (page.includes(`${file} - Mousepad`))
      return [call('done', { answer: '', app_or_title: file, indicators: [text] })];
    return page.includes(text)
      ? [call('press', { key: 'Control+S', app_or_title: 'Save As' })]
      : [call('type', { text, indicators: [text] })];
  };

test('writes and saves a text by the element list', async () => {
  attempts.follow(writer('Grüße aus Köln ✓', 'notes.txt'));
  const run = start(
    [
      goal('Write “Grüße aus Köln ✓” into a new file notes.txt', { appNotes: { mousepad: 'Control+S saves' } }),
      // Another application reads the file.
      { action: 'openApp', app: 'featherpad', args: ['notes.txt'] },
      { action: 'press', key: 'Control+A' },
      { action: 'press', key: 'Control+C' },
      { action: 'readClipboard', id: 'text' },
    ],
    '{{steps.text.value}}',
  );
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'Grüße aus Köln ✓' });
  const prompts = attempts.requests.map(({ messages }) => JSON.stringify(messages));
  expect(attempts.requests[0]).toMatchObject({ surface: 'desktop', prompt: { name: 'act-text-desktop' } });
  expect(prompts[0]).not.toContain('Note about this application');
  expect(prompts[1]).toContain('Note about this application: Control+S saves');
}, 120_000);

test('a person is asked before a file is replaced, after the dialog has refused to replace it', async () => {
  attempts.follow(({ page, text }) => {
    if (text.includes('"exists":true')) return [call('done', { answer: '', app_or_title: 'a.txt', indicators: [] })];
    if (!page.startsWith('Save As'))
      return [call('selectMenuItem', { items: 'File > Save As', app_or_title: 'Save As' })];
    const isRefused = text.includes('"a.txt" exists: set `overwrite: true` to replace it');
    return [call('fillFileDialog', { path: 'a.txt', overwrite: isRefused })];
  });
  const run = attempts.assign({
    surface: 'desktop',
    desktop: { profile: { files: [{ path: 'a.txt', text: 'old' }] } },
    steps: [
      { action: 'openApp', app: 'org.xfce.mousepad' },
      { action: 'type', text: 'new' },
      goal('Save it as a.txt', { expect: { title: 'a.txt' } }),
      { action: 'openApp', app: 'featherpad', args: ['a.txt'] },
      { action: 'press', key: 'Control+A' },
      { action: 'press', key: 'Control+C' },
      { action: 'readClipboard', id: 'text' },
    ],
    output: '{{steps.text.value}}',
  });
  await attempts.question();
  expect(notes(run)).toContainEqual('Approval required: replace the file “a.txt” (delete)');
  await attempts.reply(run, 1, { choice: 'continue' });
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'new' });
  expect(attempts.questions()).toHaveLength(1);
}, 120_000);

test('a window in the background that the turn leads to comes to the front', async () => {
  attempts.follow(({ page }) => {
    if (page.includes('app://featherpad/'))
      return [call('press', { key: 'Escape', app_or_title: 'Untitled 1 - Mousepad' })];
    if (page.includes('app://mousepad/'))
      return [call('done', { answer: 'Mousepad', app_or_title: 'mousepad', indicators: ['File'] })];
    return [call('fail', { text: `Neither editor is active: ${page}` })];
  });
  const run = start(
    [
      { action: 'openApp', app: 'org.xfce.mousepad' },
      { action: 'openApp', app: 'featherpad' },
      goal('Go back to the editor', { autoApprove: ['otherApp'] }),
    ],
    '{{steps.goal.value}}',
  );
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'Mousepad' });
  expect(notes(run)).toContainEqual(
    'A window in the background shows “Untitled 1 - Mousepad” and was brought to the front',
  );
  expect(attempts.requests).toHaveLength(2);
}, 120_000);

test('the text that a goal expects is recognized in a window without elements', async () => {
  attempts.follow(({ text }) =>
    text.includes('Turn 2 of')
      ? [call('done', { answer: '', app_or_title: 'xterm', indicators: [] })]
      : [call('type', { text: 'clear; echo Invoice number $((4000 + 711))\n', app_or_title: 'xterm' })],
  );
  const run = start([
    { action: 'openApp', app: 'debian-xterm' },
    goal('Show the invoice', { expect: { text: 'Invoice number 4711' } }),
  ]);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  // No request to verify it: the text decides.
  expect(attempts.requests.map(({ role }) => role)).not.toContain('verify');
}, 120_000);

test('an action of a browser ends the turn with a reason', async () => {
  attempts.follow(({ page, text }) => {
    if (text.includes('navigate is not available on a desktop'))
      return [call('done', { answer: 'Mousepad', app_or_title: 'mousepad', indicators: ['File'] })];
    return page.includes('no window is active')
      ? [call('openApp', { app: 'org.xfce.mousepad' })]
      : [call('navigate', { url: 'https://a.test' })];
  });
  const run = start([goal('Open a page')], '{{steps.goal.value}}');
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'completed', output: 'Mousepad' });
}, 120_000);
