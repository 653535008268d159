import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Stack } from './harness/stack.ts';

/* A workflow on a real Linux desktop, through the API, the gateway and a desktop worker. */
describe('a desktop run', () => {
  const token = `pf_${randomBytes(24).toString('hex')}`;
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start({
      workers: 0,
      api: {
        PILOTHOUSE_FLEETS: JSON.stringify([
          { name: 'desktops', surface: 'desktop', token, externalWorkers: true, slots: 1, maxWorkers: 2, idleSlots: 0 },
        ]),
      },
    });
    await stack.addWorker({
      ...stack.workerToken(token),
      ...{ PILOTHOUSE_SURFACE: 'desktop', PILOTHOUSE_SLOTS: '1' },
    });
  });
  afterAll(() => stack?.stop());

  const runSteps = async (steps: readonly object[], output?: unknown) => {
    const definition = { name: 'on-a-desktop', surface: 'desktop', steps, ...(output !== undefined && { output }) };
    const run = (await stack.client.json('/v1/runs', { method: 'POST', body: { definition } })) as { id: string };
    return stack.client.waitForEnd(run.id);
  };

  test('opens an application, types, copies and returns the text', async () => {
    const text = 'Grüße: 5 € – „ok“\nsecond line ✓';
    const run = await runSteps(
      [
        { action: 'openApp', app: 'org.xfce.mousepad', id: 'editor' },
        { action: 'type', text },
        { action: 'press', key: 'Control+A' },
        { action: 'press', key: 'Control+C' },
        { action: 'readClipboard', id: 'copied' },
        { action: 'assert', condition: { url: 'app://mousepad/', visible: { role: 'textbox' } } },
        { action: 'screenshot' },
      ],
      { text: '{{steps.copied.value}}', app: '{{steps.editor.value.app}}' },
    );
    expect(run).toMatchObject({ status: 'completed', surface: 'desktop', output: { text, app: 'mousepad' } });
    const artifacts = await stack.client.artifacts(run.id);
    expect(artifacts.filter(({ kind }) => kind === 'screenshot').length).toBeGreaterThan(0);
  });

  test('runs the example of the documentation', async () => {
    const file = join(import.meta.dirname, '../../../docs/examples/desktop-note.yaml');
    const definition = parseWorkflow(await readFile(file, 'utf8'), { file });
    const body = { definition, inputs: { text: 'Ship’s log ⚓' } };
    const { id } = (await stack.client.json('/v1/runs', { method: 'POST', body })) as { id: string };
    expect(await stack.client.waitForEnd(id)).toMatchObject({
      status: 'completed',
      output: { text: 'Ship’s log ⚓', app: 'mousepad' },
    });
  });

  test('a run sees nothing of the run before', async () => {
    const run = await runSteps(
      [
        { action: 'readClipboard', id: 'clip' },
        { action: 'observe', id: 'list' },
      ],
      {
        clip: '{{steps.clip.value}}',
      },
    );
    expect(run).toMatchObject({ status: 'completed', output: { clip: '' } });
  });

  test('a step that finds no element fails with its locator', async () => {
    const run = await runSteps([
      { action: 'openApp', app: 'org.xfce.mousepad' },
      { action: 'click', target: { role: 'button', name: 'Missing' }, timeout: 2 },
    ]);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TARGET_NOT_FOUND' } });
    expect(run.error?.message).toContain('role=button[name="Missing"]');
  });
});
