import type { ControlInput } from '@pilothouse/contract/control/control.schema';
import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { pixelsOf, type Pixels } from '@pilothouse/testing/decode-pixels';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { until } from '@pilothouse/testing/test-helpers';
import { WorkerHarness } from '../testing/worker-harness.fixture.ts';
import { TestShop } from '../testing/test-shop.fixture.ts';

/* Recorded turns of a real Chromium. The model is a policy that sees only the prompt. */

const SECRET = 'hush-4711-hush';

let shop: TestShop;
let host: BrowserHost;
let attempts: WorkerHarness;
beforeAll(async () => {
  shop = await TestShop.open();
  host = new BrowserHost(headlessShellOptions());
});
afterAll(async () => {
  await host.close();
  await shop.close();
});
beforeEach(async () => {
  shop.body = page;
  attempts = await WorkerHarness.start(host);
  attempts.gateway.secrets.set('password', SECRET);
  attempts.follow(policy);
});
afterEach(() => attempts.stop());

/** A red box shows what was typed. The document has a blue corner. */
const page = `<body style="margin:0"><div style="position:absolute;left:0;top:300px;width:40px;height:40px;background:#00f"></div>
  <input aria-label="Code"><button onclick="sent.textContent = 'Shown ' + document.querySelector('input').value; document.title = 'Shown'">Show</button>
  <p id="sent" style="margin:0;position:absolute;left:0;top:100px;width:400px;height:100px;background:#f00;font-size:40px">Nothing yet</p>`;

const policy: ScriptedPolicy = (prompt) => {
  if (/Shown /.test(prompt.page) && !/Nothing yet/.test(prompt.page))
    return [call('done', { answer: 'Shown', title_or_url: 'Shown', indicators: ['Shown'] })];
  const code = prompt.element(/textbox "Code"/);
  return [
    call('type', { element: code, text: '{{credential.password}}' }),
    call('click', { element: prompt.element(/button "Show"/), title_or_url: 'Shown' }),
  ];
};

const definition = {
  inputs: { password: { type: 'string' as const, secret: true } },
  output: '{{steps.goal.value}}',
  steps: [
    { action: 'navigate' as const, url: '' },
    { id: 'goal', action: 'goal' as const, goal: 'Show the code {{inputs.password}}' },
  ],
};
const assign = (recordTurns: Assignment['recordTurns'], fields: Partial<typeof definition> & object = {}) => {
  const [open, ...rest] = definition.steps;
  const steps = [{ ...open, url: `${shop.url}/` }, ...rest];
  return attempts.assign({ ...definition, steps, ...fields } as never, { secrets: ['password'], recordTurns });
};

const requests = () => attempts.gateway.all('upload.request').filter(({ kind }) => kind === 'turn');
const names = () => requests().map(({ name }) => name);
const objects = () => [...attempts.gateway.files.objects.values()].map(({ body }) => body);
const records = (): TurnRecord[] =>
  objects()
    .filter((body) => body[0] === '{'.charCodeAt(0))
    .map((body) => turnRecordSchema.parse(JSON.parse(body.toString())))
    .sort((a, b) => a.order - b.order);
const pixels = ({ screenshot }: TurnRecord): Pixels => {
  const object = attempts.gateway.files.objects.get(`/objects/${screenshot?.artifact}`);
  if (!object) throw new Error('The record names no stored screenshot');
  return pixelsOf(object.body);
};
const isColor = (image: Pixels, x: number, y: number, [red, green, blue]: [number, number, number]) =>
  image.at(x, y).every((value, index) => Math.abs(value - ([red, green, blue][index] ?? 0)) < 40);

test('each turn has the page before its first action, its actions and their outcomes', async () => {
  const run = assign('all');
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed', output: 'Shown' });
  const [first, second, ...rest] = records();
  if (!first || !second) throw new Error(`There are ${records().length} records`);
  expect(rest).toEqual([]);
  expect(names()).toEqual(['turn-1-1.jpg', 'turn-1-1.json', 'turn-1-2.jpg', 'turn-1-2.json']);
  expect(first).toMatchObject({
    run: run.run,
    attempt: 1,
    step: 1,
    id: 'goal',
    turn: 1,
    surface: 'browser',
    goal: 'Show the code {{inputs.password}}',
    tier: 'text',
    source: 'model',
    observation: { url: `${shop.url}/` },
    actions: [
      { sequence: 1, kind: 'act', action: { action: 'fill', text: '{{inputs.password}}' } },
      { sequence: 2, kind: 'act', action: { action: 'click' }, call: { name: 'act' } },
    ],
    outcomes: [
      { sequence: 1, error: null },
      { sequence: 2, error: null, titleAfter: 'Shown', hasChanged: true },
    ],
    verification: { result: 'verified' },
  });
  expect(first.input?.text).toContain('textbox "Code"');
  const button = first.observation.elements.find(({ name }) => name === 'Show');
  expect(first.actions[1]?.target).toEqual(button?.bounds);
  expect(second).toMatchObject({
    turn: 2,
    actions: [{ sequence: null, kind: 'done' }],
    verification: { result: 'verified' },
  });
  const image = pixels(first);
  expect({ width: image.width, height: image.height }).toEqual({
    width: first.screenshot?.width,
    height: first.screenshot?.height,
  });
  expect(image.width).toBeLessThanOrEqual(1280);
  const { scale = 1 } = first.screenshot ?? {};
  const scaled = (x: number, y: number): [number, number] => [Math.round(x * scale), Math.round(y * scale)];
  expect(isColor(image, ...scaled(350, 180), [255, 0, 0])).toBe(true);
  expect(isColor(image, ...scaled(20, 320), [0, 0, 255])).toBe(true);
});

test('the goal waits for the screenshot of its last turn', async () => {
  await attempts.stop();
  const slowHost: SurfaceHost = {
    ...{ kind: host.kind, capabilities: host.capabilities, close: () => Promise.resolve() },
    open: async (options, context) => {
      const surface = await host.open(options, context);
      const capture = surface.screenshot.bind(surface);
      surface.screenshot = async (...args: Parameters<typeof capture>) => {
        await systemTimers.delay(300);
        return capture(...args);
      };
      return surface;
    },
  };
  attempts = await WorkerHarness.start(slowHost);
  attempts.gateway.secrets.set('password', SECRET);
  attempts.follow(policy);
  expect(await attempts.waitForOutcome(assign('all'))).toMatchObject({ status: 'completed' });
  expect(records().map(({ screenshot }) => screenshot === null)).toEqual([false, false]);
});

test('secrets are in no record and in no pixel', async () => {
  const run = assign('all');
  await attempts.waitForOutcome(run);
  const [, second] = records();
  if (!second) throw new Error('There is no second record');
  // The page shows the secret in the red box, which is covered.
  const image = pixels(second);
  const { scale = 1 } = second.screenshot ?? {};
  const scaled = (x: number, y: number): [number, number] => [Math.round(x * scale), Math.round(y * scale)];
  for (let x = 10; x < 300; x += 10)
    for (let y = 110; y < 140; y += 10) expect(isColor(image, ...scaled(x, y), [90, 90, 90])).toBe(true);
  expect(isColor(image, ...scaled(20, 320), [0, 0, 255])).toBe(true);
  const texts = objects().map((body) => body.toString('latin1'));
  const encodings = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64').slice(0, 16)];
  for (const encoding of encodings) expect(texts.filter((text) => text.includes(encoding))).toEqual([]);
  expect(JSON.stringify(second.observation)).toContain('••••');
});

test('off stores nothing', async () => {
  await attempts.waitForOutcome(assign('off'));
  expect(requests()).toEqual([]);
});

test('failures stores nothing of a goal that is met, and all turns of one that failed', async () => {
  expect(await attempts.waitForOutcome(assign('failures'))).toMatchObject({ status: 'completed' });
  expect(requests()).toEqual([]);
  attempts.follow((prompt) =>
    /Nothing yet/.test(prompt.page) ? policy(prompt) : [call('fail', { text: 'The code is rejected' })],
  );
  attempts.gateway.actionCache.clear();
  const run = assign('failures');
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed' });
  expect(records().map((record) => [record.run, record.turn, record.actions.at(-1)?.kind])).toEqual([
    [run.run, 1, 'act'],
    [run.run, 2, 'fail'],
  ]);
  expect(records().every(({ screenshot }) => screenshot !== null)).toBe(true);
});

test('actions of an earlier run are recorded without a screenshot', async () => {
  await attempts.waitForOutcome(assign('off'));
  expect(attempts.gateway.actionCache.size).toBeGreaterThan(0);
  await attempts.waitForOutcome(assign('all'));
  expect(records().map(({ source, tier, screenshot, model }) => [source, tier, screenshot, model])).toEqual([
    ['cache', 'replay', null, null],
    ['cache', 'replay', null, null],
  ]);
  expect(records()[0]?.outcomes).toMatchObject([{ sequence: 1 }, { sequence: 2, titleAfter: 'Shown' }]);
});

test('actions of a person are records with the page before them, also with failures', async () => {
  const { gateway } = attempts;
  const sendControl = (n: number, validMs: number, inputs: ControlInput[] = []) => {
    gateway.broadcast({
      ...{ type: 'control.input', run: run.run, epoch: 1, token: 1, operator: 'Ada', validMs, sequence: n, inputs },
    });
  };
  attempts.follow((prompt) => {
    if (!/Nothing yet/.test(prompt.page))
      return [call('done', { answer: 'Shown', title_or_url: 'Shown', indicators: ['Shown'] })];
    sendControl(0, 60_000);
    return [call('click', { element: prompt.element(/button "Show"/) })];
  });
  const run = assign('failures');
  await attempts.question();
  const [x, y] = [(200 / 1280) * 1000, (12 / 720) * 1000];
  let sequence = 0;
  // An action that comes earlier than the screenshot of its page has no record: each try leaves more time for it.
  await until('an action of the person is recorded', async () => {
    const count = attempts.events(run, 'control.action').length;
    sequence += 1;
    sendControl(sequence, 60_000, [
      { kind: 'down', x, y, button: 'left', count: 1 },
      { kind: 'up', x, y, button: 'left', count: 1 },
    ]);
    await until('the click is reported', () => attempts.events(run, 'control.action').length > count);
    await systemTimers.delay(sequence * 200);
    return names().some((name) => /-person-.*json$/.test(name));
  });
  sendControl(0, 0);
  const answer = { step: 1, controlToken: 1, choice: 'continue' as const, answeredBy: 'Ada' };
  gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  const person = records().filter(({ source }) => source === 'person');
  const [record] = person;
  expect(record).toMatchObject({
    operator: 'Ada',
    tier: 'human',
    turn: 1,
    goal: 'Show the code {{inputs.password}}',
    prompt: null,
    actions: [{ kind: 'act', action: { action: 'click' }, target: { width: expect.any(Number) } }],
  });
  expect(record && isColor(pixels(record), 350, 180, [255, 0, 0])).toBe(true);
  // The goal was taken over: its other turns are stored as well.
  expect(records().filter(({ source }) => source === 'model')).toHaveLength(2);
});

test('a healed step is a record', async () => {
  const steps = [
    { action: 'navigate', url: `${shop.url}/` },
    { id: 'send', action: 'click', target: { role: 'button', name: 'Show it' }, timeout: 2 },
  ];
  attempts.gateway.locators = [{ role: 'button', name: 'Show' }];
  const run = assign('failures', { steps, heal: 'auto', output: 'x' } as never);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(records()).toMatchObject([
    {
      step: 1,
      id: 'send',
      turn: 0,
      source: 'cache',
      tier: 'replay',
      screenshot: null,
      actions: [{ action: { action: 'click' }, target: { width: expect.any(Number) } }],
    },
  ]);
});

test('a goal in a branch has its own records', async () => {
  const goal = { action: 'goal', goal: 'Show the code {{inputs.password}}', actionCache: 'never' };
  const branch = [{ action: 'navigate', url: `${shop.url}/` }, goal];
  const steps = [{ id: 'both', action: 'parallel', branches: { left: branch, right: branch } }];
  const run = assign('all', { steps, output: 'x' } as never);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(new Set(records().map(({ branch: name, turn }) => `${name} ${turn}`))).toEqual(
    new Set(['left 1', 'left 2', 'right 1', 'right 2']),
  );
  expect(new Set(records().map(({ order }) => order)).size).toBe(4);
});
