import { createPool } from '@pilothouse/infra-db';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import {
  controlSessionSchema,
  type ControlInput,
  type ControlSession,
} from '@pilothouse/contract/control/control.schema';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Client } from './harness/stack-client.ts';
import { colorOf, framesOf } from './harness/screencast-frame.ts';
import { ControlTestSite, positions } from './harness/control-test-site.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

/** Timeout of a browser start and its first frame on a busy machine, in milliseconds. */
const TIMEOUT_MS = 60_000;

const SECRET = 'horse battery';

const clickAt = (point: { x: number; y: number }): ControlInput[] => [
  { kind: 'move', ...point },
  { kind: 'down', ...point, button: 'left', count: 1 },
  { kind: 'up', ...point, button: 'left', count: 1 },
];

describe('control of a run', () => {
  let stack: Stack;
  let site: ControlTestSite;
  let ada: Client;
  let ben: Client;

  beforeAll(async () => {
    site = await ControlTestSite.start();
    stack = await Stack.start();
    const elsewhere = await stack.addReplica();
    ada = await member('ada', stack.client.url);
    // Control goes through another replica than the one of the worker.
    ada = new Client(elsewhere, ada.key);
    ben = await member('ben', stack.client.url);
  });
  afterAll(async () => {
    site?.stop();
    await stack?.stop();
  });
  beforeEach(() => site.reset());

  const member = async (name: string, url: string): Promise<Client> => {
    const apiKey = await stack.client.json('/v1/api-keys', { method: 'POST', body: { name, role: 'operator' } });
    return new Client(url, (apiKey as { key: string }).key);
  };
  const acquireControl = async (client: Client, run: string): Promise<ControlSession> =>
    controlSessionSchema.parse(await client.json(`/v1/runs/${run}/control`, { method: 'POST' }));
  const drive = (client: Client, run: string, token: number, inputs: ControlInput[]) =>
    client.json(`/v1/runs/${run}/control/input`, { method: 'POST', body: { token, inputs } });
  const release = (client: Client, run: string) => client.json(`/v1/runs/${run}/control`, { method: 'DELETE' });
  const eventsOf = async (run: string): Promise<RunEvent[]> =>
    ((await ada.json(`/v1/runs/${run}/events?format=json&limit=1000`)) as { items: RunEvent[] }).items;

  /** A run that waits for its page, and then extracts its content. */
  const submit = async (): Promise<string> => {
    const { id } = await ada.submit({ definition: site.definition });
    await ada.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['step'] === 1, TIMEOUT_MS);
    return id;
  };
  /** The same under control of Ada. */
  const driven = async (): Promise<{ id: string; token: number }> => {
    const id = await submit();
    const { token } = await acquireControl(ada, id);
    await ada.waitForEvent(id, ({ type }) => type === 'run.awaiting_user', TIMEOUT_MS);
    // Not earlier: the run would end before its worker receives the control request.
    site.ready();
    return { id, token };
  };

  test('is acquired during a waiting step, drives the browser, and is released: the run continues from there', async () => {
    const { id, token } = await driven();
    expect(await ada.run(id)).toMatchObject({
      status: 'awaiting_user',
      question: { controlToken: token, reason: 'ada has control' },
    });
    const colors: string[] = [];
    const screencast = await ben.request(`/v1/runs/${id}/live`, { signal: AbortSignal.timeout(120_000) });
    const over = (async () => {
      for await (const frame of framesOf(screencast)) colors.push(colorOf(pixelsOf(frame)));
    })();
    await until('the viewer shows the page', () => colors.at(-1) === 'red' || undefined, TIMEOUT_MS);

    // One controller at a time; the owner may acquire it again.
    await expect(acquireControl(ben, id)).rejects.toThrow(/409.*ada has control/);
    await expect(drive(ben, id, token, clickAt(positions.resume))).rejects.toThrow(/409.*ada has control/);
    await expect(release(ben, id)).rejects.toThrow(/409.*ada has control/);
    await expect(drive(ada, id, token + 1, clickAt(positions.resume))).rejects.toThrow(/409.*token/);
    expect(await acquireControl(ada, id)).toMatchObject({ token, operator: 'ada' });

    await drive(ada, id, token, [
      ...clickAt(positions.name),
      { kind: 'text', text: 'Adx' },
      { kind: 'key', key: 'Backspace' },
      { kind: 'paste', text: 'a' },
    ]);
    await drive(ada, id, token, [...clickAt(positions.password), { kind: 'text', text: SECRET }]);
    await drive(ada, id, token, clickAt(positions.resume));
    await until('the viewer shows the result', () => colors.at(-1) === 'blue' || undefined, TIMEOUT_MS);
    await ada.waitForEvent(id, ({ type, message }) => type === 'control.action' && message.includes('Go'), TIMEOUT_MS);
    await release(ada, id);
    expect(await ada.waitForEnd(id)).toMatchObject({
      status: 'completed',
      output: { messages: `Hello Ada, ${SECRET.length}` },
    });
    await over;

    const events = await eventsOf(id);
    const [takenAt, releasedAt] = ['control.taken', 'control.released'].map((type) =>
      events.findIndex((event) => event.type === type),
    );
    expect(events.slice(takenAt, (releasedAt ?? 0) + 2).map(({ type, message }) => [type, message])).toEqual([
      ['control.taken', 'ada took control'],
      ['run.log', expect.stringMatching(/^Step 2 .* stopped waiting: ada has control\. \d+ s left$/)],
      ['run.awaiting_user', 'ada has control'],
      ['control.action', expect.stringContaining('ada: Click')],
      ['control.action', expect.stringContaining('ada: Add')],
      ['control.action', expect.stringContaining('ada: Click')],
      ['control.action', expect.stringContaining('ada: Add')],
      ['control.action', expect.stringContaining('ada: Click')],
      ['control.released', 'ada released control'],
      ['run.answered', 'Control was released: the run continues'],
    ]);
    const actions = events.filter(({ type }) => type === 'control.action').map(({ data }) => data);
    expect(actions).toMatchObject([
      { step: 1, operator: 'ada', action: { action: 'click' }, secret: false },
      { action: { action: 'fill', text: 'Ada', append: true }, secret: false },
      { action: { action: 'click' } },
      { action: { action: 'fill', text: '••••' }, secret: true },
      { action: { action: 'click', target: expect.arrayContaining([{ role: 'button', name: 'Go', exact: true }]) } },
    ]);
    for (const [location, text] of Object.entries(await stack.dumpStoredData()))
      expect([location, text.includes(SECRET)]).toEqual([location, false]);

    // The recorded actions become a workflow; the secret becomes an input.
    const body = { name: 'greeted' };
    const { workflow, notes } = (await ada.json(`/v1/runs/${id}/compile`, {
      method: 'POST',
      body,
    })) as CompileRunResult;
    expect(notes).toEqual(['step 2: manual actions of ada became steps']);
    expect(workflow.definition).toMatchObject({
      inputs: { password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate' },
        { action: 'click' },
        { action: 'fill', text: 'Ada' },
        { action: 'click' },
        { action: 'fill', text: '{{inputs.password}}' },
        { action: 'click' },
        { action: 'waitFor' },
        { action: 'extract' },
      ],
    });
    const replay = (await ada.json('/v1/workflows/greeted/runs', {
      method: 'POST',
      body: { version: workflow.version, inputs: { password: 'other' } },
    })) as RunView;
    expect(await ada.waitForEnd(replay.id)).toMatchObject({
      status: 'completed',
      output: { messages: 'Hello Ada, 5' },
    });
  });

  test('passes uploads to a file chooser of the page and rejects unknown files', async () => {
    const uploadSite = await ControlTestSite.start(`<!doctype html><title>Papers</title><h1>Welcome</h1>
      <input type="file" aria-label="Paper" style="position:fixed;left:0;top:40vh;width:40vw;height:10vh">
      <script>
        fetch('/ready').then(() => { document.title = 'Ready'; });
        document.querySelector('input').onchange = async ({ target: { files: [file] } }) => {
          document.querySelector('h1').textContent = file.name + ': ' + (await file.text());
          fetch('/message?text=' + file.name);
        };
      </script>`);
    try {
      const { id } = await ada.submit({ definition: uploadSite.definition });
      await ada.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['step'] === 1, TIMEOUT_MS);
      const { token } = await acquireControl(ada, id);
      await ada.waitForEvent(id, ({ type }) => type === 'run.awaiting_user', TIMEOUT_MS);
      uploadSite.ready();
      await drive(ada, id, token, clickAt(positions.resume));
      const { data } = await ada.waitForEvent(id, ({ type }) => type === 'dialog.opened', TIMEOUT_MS);
      expect(data).toMatchObject({ kind: 'files', multiple: false, operator: 'ada' });
      const choose = (file: string) =>
        drive(ada, id, token, [{ kind: 'dialog', dialog: String(data['dialog']), accept: true, files: [file] }]);
      const stranger = '01900000-0000-7000-8000-000000000000';
      await expect(choose(stranger)).rejects.toThrow(
        /400: VALIDATION_FAILED: .*\/inputs\/0\/files\/0: Upload not found/,
      );
      // It keeps waiting.
      await choose((await ada.upload('größe.txt', 'text/plain', Buffer.from('17 m'))).id);
      await until('the page has it', () => uploadSite.messages.length === 1 || undefined, TIMEOUT_MS);
      const closed = await ada.waitForEvent(id, ({ type }) => type === 'dialog.closed', TIMEOUT_MS);
      expect(closed).toMatchObject({ message: 'The page got größe.txt', data: { accepted: true, reason: 'answered' } });
      await release(ada, id);
      expect(await ada.waitForEnd(id)).toMatchObject({ status: 'completed', output: { messages: 'größe.txt: 17 m' } });
    } finally {
      uploadSite.stop();
    }
  });

  test('is released after a timeout, and earlier input is rejected', async () => {
    const { id, token } = await driven();
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const pool = createPool({ databaseUrl: stack.database.url, max: 1, name: 'e2e', log });
    await pool.query('UPDATE control_session SET expires_at = now()').finally(() => pool.end());
    expect(await ada.waitForEnd(id)).toMatchObject({ status: 'completed', output: { messages: 'Welcome' } });
    await expect(drive(ada, id, token, clickAt(positions.resume))).rejects.toThrow(/409.*completed/);
    const releases = (await eventsOf(id)).filter(({ type }) => type === 'control.released');
    expect(releases.map(({ data }) => data)).toEqual([{ operator: 'ada', token, reason: 'idle' }]);
    expect(site.clickCount).toBe(0);
  });

  test('is lost with its worker: no action is repeated, the run waits, and another worker recovers it', async () => {
    const { id, token } = await driven();
    await drive(ada, id, token, clickAt(positions.resume));
    await ada.waitForEvent(
      id,
      ({ type, data }) => type === 'control.action' && (data['action'] as { action: string }).action === 'click',
      TIMEOUT_MS,
    );
    const [worker] = stack.workers;
    await worker?.kill();
    await ada.waitForEvent(id, ({ type }) => type === 'run.slot_released', TIMEOUT_MS);
    await stack.addWorker();
    expect(await ada.run(id)).toMatchObject({
      status: 'awaiting_user',
      worker: null,
      question: { controlToken: token },
    });
    await expect(drive(ada, id, token, clickAt(positions.resume))).rejects.toThrow(/409.*browser was closed/);
    await release(ada, id);
    expect(await ada.waitForEnd(id, TIMEOUT_MS)).toMatchObject({
      status: 'completed',
      epoch: 2,
      output: { messages: 'Welcome' },
    });
    expect(site.clickCount).toBe(1);
  });
});
