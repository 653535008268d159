import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import {
  controlSessionSchema,
  pageInspectionSchema,
  type ControlInput,
} from '@pilothouse/contract/control/control.schema';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { randomBytes } from 'node:crypto';
import { until } from './harness/poll-until.ts';
import { framesOf } from './harness/screencast-frame.ts';
import { Stack } from './harness/stack.ts';

/** Milliseconds for a desktop and its applications on a busy machine. */
const TIMEOUT_MS = 90_000;

const TEXT = 'Grüße: 5 € – „ok“ ёЖ 日本';

/** Number of dark pixels of an image, every second one in both directions. */
function darkPixels(jpeg: Buffer = Buffer.alloc(0)): number {
  const { width, height, at } = pixelsOf(jpeg);
  let count = 0;
  for (let y = 0; y < height; y += 2) for (let x = 0; x < width; x += 2) if (Math.max(...at(x, y)) < 90) count += 1;
  return count;
}

/* A person takes control of a desktop run through the API. What the person does becomes a workflow. */
describe('control of a desktop run', () => {
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

  test('types special characters, clicks a button and is released; the run continues and becomes a workflow', async () => {
    const { client } = stack;
    const { id } = await client.submit({
      definition: {
        name: 'note',
        surface: 'desktop',
        steps: [
          { action: 'openApp', app: 'org.xfce.mousepad' },
          { action: 'waitFor', condition: { title: 'note.txt' }, timeout: 300 },
          { action: 'collectFile', path: 'note.txt' },
        ],
      },
    });
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['step'] === 1, TIMEOUT_MS);
    const frames: Buffer[] = [];
    const watched = (async () => {
      // The stream lasts as long as the run.
      const signal = AbortSignal.timeout(5 * TIMEOUT_MS);
      for await (const frame of framesOf(await client.request(`/v1/runs/${id}/live`, { signal }))) frames.push(frame);
    })();
    // Its error fails the test at the end, not at once.
    watched.catch(() => undefined);
    const control = controlSessionSchema.parse(await client.json(`/v1/runs/${id}/control`, { method: 'POST' }));
    await client.waitForEvent(id, ({ type }) => type === 'run.awaiting_user', TIMEOUT_MS);
    const body = { token: control.token };
    const send = (...inputs: ControlInput[]) =>
      client.json(`/v1/runs/${id}/control/input`, { method: 'POST', body: { ...body, inputs } });
    const inspect = async () =>
      pageInspectionSchema.parse(await client.json(`/v1/runs/${id}/control/inspect`, { method: 'POST', body }));
    const clickOn = async (role: string, name: string) => {
      const { bounds } = await until(
        `${role} ${name} is seen`,
        async () => (await inspect()).elements.find((each) => each.role === role && each.name === name),
        TIMEOUT_MS,
      );
      const point = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
      await send(
        { kind: 'down', ...point, button: 'left', count: 1 },
        { kind: 'up', ...point, button: 'left', count: 1 },
      );
    };

    await until('the desktop is seen', () => frames.length > 0 || undefined, TIMEOUT_MS);
    const initialCount = darkPixels(frames.at(-1));
    await send({ kind: 'text', text: TEXT.slice(0, 8) }, { kind: 'text', text: TEXT.slice(8) });
    await until('the text is seen', () => darkPixels(frames.at(-1)) > initialCount + 50 || undefined, TIMEOUT_MS);
    await send({ kind: 'key', key: 'Control+S' });
    await until('the dialog opens', async () => (await inspect()).title === 'Save As' || undefined, TIMEOUT_MS);
    await send({ kind: 'paste', text: 'note.txt' });
    await clickOn('button', 'Save');
    await until('the note is saved', async () => (await inspect()).title.includes('note.txt') || undefined, TIMEOUT_MS);
    await client.json(`/v1/runs/${id}/control`, { method: 'DELETE' });
    expect(await client.waitForEnd(id, TIMEOUT_MS)).toMatchObject({ status: 'completed', error: null });
    await watched;
    expect(await client.artifactText(id, 'note.txt')).toBe(TEXT);
    const { items } = (await client.json(`/v1/runs/${id}/events?format=json&limit=1000`)) as { items: RunEvent[] };
    const actions = items.filter(({ type }) => type === 'control.action').map(({ data }) => data['action']);
    expect(actions).toMatchObject([
      { action: 'fill', text: TEXT },
      { action: 'press', key: 'Control+S' },
      { action: 'switchWindow', app: 'mousepad', window: 'Save As' },
      { text: 'note.txt' },
      { action: 'click', target: expect.arrayContaining([{ role: 'button', name: 'Save', exact: true }]) },
    ]);

    const { workflow } = (await client.json(`/v1/runs/${id}/compile`, {
      method: 'POST',
      body: { name: 'saved-note' },
    })) as CompileRunResult;
    expect(workflow.definition).toMatchObject({ surface: 'desktop' });
    const replay = (await client.json('/v1/workflows/saved-note/runs', {
      method: 'POST',
      body: { version: workflow.version },
    })) as RunView;
    expect(await client.waitForEnd(replay.id, TIMEOUT_MS)).toMatchObject({ status: 'completed', error: null });
    expect(await client.artifactText(replay.id, 'note.txt')).toBe(TEXT);
  }, 400_000);
});
