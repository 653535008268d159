import { randomUUID } from 'node:crypto';
import type { PageQuery, ControlInput } from '@pilothouse/contract/control/control.schema';
import type { InspectionResult } from '@pilothouse/infra-link';
import { BrowserHost } from '@pilothouse/surface-browser';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';
import { TestShop } from '../testing/test-shop.fixture.ts';

/* Inspection of a real Chromium page for the person in control. */

let shop: TestShop;
let host: BrowserHost;
let attempts: WorkerHarness;
beforeAll(async () => {
  shop = await TestShop.open();
  host = new BrowserHost(headlessShellOptions());
  attempts = await WorkerHarness.start(host);
});
afterAll(async () => {
  await attempts?.stop();
  await host?.close();
  await shop?.close();
});

/** Shorter than its mask. */
const SECRET = 'q7';
/** A secret that crosses the truncation limit of names. */
const CUT = { before: 'x '.repeat(95), secret: 'correct-horse-battery' };

test('an inspection masks secrets within its limits; a masked option can be selected', async () => {
  const { gateway } = attempts;
  gateway.secrets.set('password', SECRET);
  gateway.secrets.set('token', CUT.secret);
  shop.body = `<input type="password" aria-label="Password"><textarea aria-label="Notes">${SECRET.repeat(30_000)}</textarea>
    <select aria-label="Account" onchange="document.title = 'chose ' + this.selectedIndex">
      <option>None</option><option>${`${SECRET} `.repeat(60)}</option><option>${CUT.before}${CUT.secret}</option>
    </select><button>${`${SECRET} `.repeat(60)}</button><button>${CUT.before}${CUT.secret}</button>`;
  const run = attempts.assign(
    {
      inputs: { password: { type: 'string', secret: true }, token: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}{{inputs.token}}' },
        { action: 'waitFor', condition: { text: 'never' }, timeout: 300 },
      ],
    },
    { secrets: ['password', 'token'] },
  );
  const controlMessage = {
    type: 'control.input' as const,
    run: run.run,
    epoch: 1,
    token: 1,
    operator: 'Ada',
    validMs: 60_000,
  };
  let n = 0;
  /** Content of the page after these inputs. */
  const inspectAfter = async (
    kind: PageQuery['kind'],
    inputs: ControlInput[],
  ): Promise<InspectionResult['result'] | undefined> => {
    const id = randomUUID();
    gateway.broadcast({ ...controlMessage, sequence: (n += 1), inputs, inspect: { id, kind } });
    const inspection = () => gateway.all('control.inspection').find((message) => message.id === id)?.result;
    await gateway.until(() => inspection() !== undefined, `what the page shows: ${kind}`);
    return inspection();
  };
  const key = (name: string): ControlInput => ({ kind: 'key', key: name });
  await gateway.until(() => attempts.events(run, 'step.started').length === 3, 'it waits');
  gateway.broadcast({ ...controlMessage, sequence: 0, inputs: [] });
  await attempts.question();

  const dots = '•••• '.repeat(40);
  const view = await inspectAfter('elements', []);
  const truncatedName = `${CUT.before}••••`;
  const withName = (name: unknown) => expect.objectContaining({ name });
  const containsTruncatedName = expect.stringContaining(truncatedName);
  expect(view).toMatchObject({ elements: expect.arrayContaining([withName(dots), withName(containsTruncatedName)]) });
  const copied = await inspectAfter('selection', [key('Tab'), key('Control+A'), key('Control+C')]);
  expect(copied).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('120000') } });
  const list = await inspectAfter('dropdown', [key('Tab')]);
  expect(list).toMatchObject({ dropdown: { options: [{ label: 'None' }, { label: dots }, { label: truncatedName }] } });
  const afterSelection = await inspectAfter('elements', [{ kind: 'selectOption', index: 1, label: dots }]);
  expect(afterSelection).toMatchObject({ title: 'chose 1' });
  expect(await inspectAfter('elements', [{ kind: 'selectOption', index: 2, label: truncatedName }])).toMatchObject({
    title: 'chose 2',
  });
  await gateway.until(() => attempts.events(run, 'control.action').length > 0, 'the choice is reported');
  expect(JSON.stringify(attempts.events(run, 'control.action'))).not.toContain(SECRET);
  expect(JSON.stringify(gateway.all('control.inspection'))).not.toMatch(new RegExp(`${SECRET}|corr`));
  gateway.broadcast({ type: 'cancel', run: run.run, epoch: 1 });
  expect(await attempts.waitForOutcome(run)).toEqual({ status: 'cancelled' });
});

/** Number of questions so far. */
let questions = 1;

describe('an address that changes late belongs to the click that caused it', () => {
  /** A run that a person controls. Its page has one button, which changes the address later. */
  const openPage = async (change: string, delayMs: number) => {
    const { gateway } = attempts;
    const script = `if (!location.search) setTimeout(() => { ${change}; fetch('/moved'); }, ${delayMs})`;
    shop.body = `<button style="position: fixed; inset: 0; width: 100%" onclick="${script}">Go</button>`;
    const run = attempts.assign({
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'waitFor', condition: { text: 'never' }, timeout: 300 },
      ],
    });
    const message = { run: run.run, epoch: 1, token: 1, operator: 'Ada', validMs: 60_000 };
    let sequence = 0;
    const send = (inputs: ControlInput[]) =>
      gateway.broadcast({ type: 'control.input', ...message, sequence: (sequence += 1), inputs });
    await gateway.until(() => attempts.events(run, 'step.started').length === 2, 'it waits');
    send([]);
    await attempts.question((questions += 1));
    shop.requests.length = 0;
    const actions = async (count: number) => {
      await gateway.until(() => attempts.events(run, 'control.action').length === count, `${count} actions`);
      return attempts.events(run, 'control.action').map(({ data }) => data);
    };
    const waitForMove = () =>
      gateway.until(() => shop.requests.some((request) => /late|moved/.test(request)), 'it moved');
    const cancel = async () => {
      gateway.broadcast({ type: 'cancel', run: run.run, epoch: 1 });
      expect(await attempts.waitForOutcome(run)).toEqual({ status: 'cancelled' });
    };
    return { send, actions, waitForMove, cancel };
  };
  const click: ControlInput[] = [
    { kind: 'down', x: 500, y: 500, button: 'left', count: 1 },
    { kind: 'up', x: 500, y: 500, button: 'left', count: 1 },
  ];
  const PUSH = `history.pushState({}, '', '/?late')`;

  test.each([
    ['a push of the address', PUSH],
    ['another page', `location.href = '/?late'`],
  ])('after the click was reported: %s', async (_, change) => {
    const { send, actions, waitForMove, cancel } = await openPage(change, 2_500);
    send(click);
    await actions(1);
    await waitForMove();
    send(click);
    expect(await actions(2)).toMatchObject([
      { pageBefore: { url: `${shop.url}/` } },
      { pageBefore: { url: `${shop.url}/?late` }, page: { url: `${shop.url}/?late` } },
    ]);
    await cancel();
  });

  test('while the click may become a double click', async () => {
    const { send, actions, waitForMove, cancel } = await openPage(PUSH, 300);
    send(click);
    await waitForMove();
    send([{ kind: 'key', key: 'End' }]);
    const late = { url: `${shop.url}/?late` };
    expect(await actions(2)).toMatchObject([
      { pageBefore: { url: `${shop.url}/` }, page: late },
      { pageBefore: late, page: late },
    ]);
    await cancel();
  });
});

describe('dialogs and file choosers of a page under manual control', () => {
  const button = (script: string) => `<button onclick="document.title = 'got ' + ${script}">Go</button>`;
  /** A run that a person controls, whose page opens a dialog for Tab and Enter. */
  const openDialog = async (body: string) => {
    const { gateway } = attempts;
    shop.body = body;
    const run = attempts.assign({
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { action: 'waitFor', condition: { text: 'never' }, timeout: 300 },
      ],
    });
    const controlMessage = {
      type: 'control.input' as const,
      run: run.run,
      epoch: 1,
      token: 1,
      operator: 'Ada',
      validMs: 60_000,
    };
    await gateway.until(() => attempts.events(run, 'step.started').length === 2, 'it waits');
    gateway.broadcast({ ...controlMessage, sequence: 0, inputs: [] });
    await attempts.question((questions += 1));
    const inputs: ControlInput[] = [
      { kind: 'key', key: 'Tab' },
      { kind: 'key', key: 'Enter' },
    ];
    gateway.broadcast({ ...controlMessage, sequence: 1, inputs });
    await gateway.until(() => attempts.events(run, 'dialog.opened').length > 0, 'the dialog is reported');
    const [{ data } = { data: {} }] = attempts.events(run, 'dialog.opened');
    const title = async (n: number) => {
      const id = randomUUID();
      gateway.broadcast({ ...controlMessage, sequence: n, inputs: [], inspect: { id, kind: 'elements' } });
      const inspection = () => gateway.all('control.inspection').find((message) => message.id === id)?.result;
      await gateway.until(() => inspection() !== undefined, 'what the page shows');
      return inspection();
    };
    return { run, controlMessage, data: data as { dialog: string }, title };
  };
  const cancelRun = async (run: ReturnType<WorkerHarness['assign']>) => {
    attempts.gateway.broadcast({ type: 'cancel', run: run.run, epoch: 1 });
    expect(await attempts.waitForOutcome(run)).toEqual({ status: 'cancelled' });
  };

  test('a dialog waits for their answer, and the page takes no input meanwhile', async () => {
    const { gateway } = attempts;
    const { run, controlMessage, data, title } = await openDialog(button(`prompt('Which port?', 'Bergen')`));
    expect(data).toMatchObject({ kind: 'prompt', question: 'Which port?', text: 'Bergen', operator: 'Ada', step: 1 });
    expect(await title(2)).toMatchObject({
      error: { code: 'TARGET_NOT_ACTIONABLE', message: expect.stringContaining('dialog') },
    });
    gateway.broadcast({ ...controlMessage, sequence: 3, inputs: [{ kind: 'key', key: 'Enter' }] });
    gateway.broadcast({
      ...controlMessage,
      sequence: 4,
      inputs: [{ kind: 'dialog', dialog: randomUUID(), accept: false }],
    });
    expect(attempts.events(run, 'dialog.closed')).toEqual([]);
    const answer: ControlInput = { kind: 'dialog', dialog: data.dialog, accept: true, text: 'Oslo' };
    // The answer has an outdated token.
    gateway.broadcast({ ...controlMessage, token: 0, sequence: 5, inputs: [{ ...answer, text: 'Narvik' }] });
    gateway.broadcast({ ...controlMessage, sequence: 6, inputs: [answer] });
    expect(await title(7)).toMatchObject({ title: 'got Oslo' });
    const closedData = { dialog: data.dialog, accepted: true, reason: 'answered' };
    expect(attempts.events(run, 'dialog.closed')).toEqual([
      expect.objectContaining({ data: expect.objectContaining(closedData) }),
    ]);
    expect(attempts.events(run, 'dialog.opened')).toHaveLength(1);
    expect(JSON.stringify(attempts.events(run, 'dialog.closed'))).not.toContain('Oslo');
    await cancelRun(run);
  });

  test('a dialog is dismissed when control ends', async () => {
    const { gateway } = attempts;
    const { run, controlMessage, data } = await openDialog(button(`confirm('Delete 3 rows?')`));
    gateway.broadcast({ ...controlMessage, token: 2, operator: 'Bob', sequence: 0, inputs: [] });
    await gateway.until(() => attempts.events(run, 'dialog.closed').length > 0, 'it is dismissed');
    expect(attempts.events(run, 'dialog.closed')[0]?.data).toMatchObject({
      dialog: data.dialog,
      accepted: false,
      reason: 'released',
    });
    await cancelRun(run);
  });

  const file = (attributes = '') =>
    `<input type="file" ${attributes} onchange="document.title = 'got ' + [...this.files].map(({ name }) => name).join()">`;
  const upload = (name: string) => {
    const id = randomUUID();
    attempts.gateway.uploads.set(id, { name, contentType: 'text/plain', size: 2 });
    attempts.gateway.files.objects.set(`/objects/${id}`, { body: Buffer.from('ok'), contentType: 'text/plain' });
    return id;
  };
  const waitForClosed = async (run: ReturnType<WorkerHarness['assign']>, count: number) => {
    await attempts.gateway.until(() => attempts.events(run, 'dialog.closed').length >= count, 'it is closed');
    return attempts.events(run, 'dialog.closed')[count - 1];
  };

  test('a file chooser gets the uploads of their answer', async () => {
    const { gateway } = attempts;
    const { run, controlMessage, data, title } = await openDialog(file('multiple'));
    expect(data).toMatchObject({ kind: 'files', multiple: true, question: '', text: null, operator: 'Ada', step: 1 });
    // The open file chooser does not block the page.
    expect(await title(2)).toMatchObject({ title: 'Shop' });
    const files = [upload('a.txt'), upload('b.txt')];
    const answer: ControlInput = { kind: 'dialog', dialog: data.dialog, accept: true, files };
    gateway.broadcast({ ...controlMessage, sequence: 3, inputs: [answer, answer] });
    expect(await waitForClosed(run, 1)).toMatchObject({
      message: 'The page got a.txt, b.txt',
      data: { dialog: data.dialog, accepted: true, reason: 'answered' },
    });
    expect(await title(4)).toMatchObject({ title: 'got a.txt,b.txt' });
    expect(attempts.events(run, 'dialog.closed')).toHaveLength(1);
    await cancelRun(run);
  });

  test('a file chooser can be cancelled, reports why the page got no file, and is replaced by the next one', async () => {
    const { gateway } = attempts;
    const { run, controlMessage, data } = await openDialog(file());
    let n = 1;
    const sendInputs = (inputs: ControlInput[]) => gateway.broadcast({ ...controlMessage, sequence: (n += 1), inputs });
    const reopen = async (count: number) => {
      sendInputs([{ kind: 'key', key: 'Enter' }]);
      await gateway.until(() => attempts.events(run, 'dialog.opened').length >= count, 'it is opened again');
      return attempts.events(run, 'dialog.opened')[count - 1]?.data['dialog'] as string;
    };
    sendInputs([{ kind: 'dialog', dialog: data.dialog, accept: false }]);
    expect((await waitForClosed(run, 1))?.data).toMatchObject({ accepted: false, reason: 'answered' });
    const second = await reopen(2);
    sendInputs([{ kind: 'dialog', dialog: second, accept: true, files: [upload('a.txt'), upload('b.txt')] }]);
    expect(await waitForClosed(run, 2)).toMatchObject({
      message: expect.stringMatching(/^The page got no file: .*accepts one file/),
      data: { accepted: false, reason: 'failed' },
    });
    const third = await reopen(3);
    sendInputs([{ kind: 'dialog', dialog: third, accept: true, files: [randomUUID()] }]);
    expect((await waitForClosed(run, 3))?.data).toMatchObject({ dialog: third, accepted: false, reason: 'failed' });
    const fourth = await reopen(4);
    const fifth = await reopen(5);
    expect((await waitForClosed(run, 4))?.data).toMatchObject({ dialog: fourth, reason: 'replaced' });
    // Another person has control now.
    gateway.broadcast({ ...controlMessage, token: 2, operator: 'Bob', sequence: 0, inputs: [] });
    expect((await waitForClosed(run, 5))?.data).toMatchObject({ dialog: fifth, accepted: false, reason: 'released' });
    await cancelRun(run);
  });
});
