import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { TurnDraft } from '@pilothouse/core/learning/turn-draft';
import { anElement, aPage, clickOn } from '@pilothouse/testing/agent-builders';
import { until } from '@pilothouse/testing/test-helpers';
import { access, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PendingArtifact } from '../artifacts/artifact-uploader.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { attemptBase } from '../testing/attempt-base.fixture.ts';
import { TurnStore } from './turn-store.ts';

const SECRET = 'hush-4711';
let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'pilothouse-turns-'))));
afterEach(() => rm(folder, { recursive: true }));

/** A store whose uploads wait until `release`. */
function setUp(recordTurns: 'all' | 'failures') {
  const files: PendingArtifact[] = [];
  const events: { message: string; data: object }[] = [];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const counters = new Map<string, number>();
  const metrics: AttemptBase['metrics'] = {
    observe: () => undefined,
    add: () => undefined,
    count: (_, labels, increment = 1) => {
      const { result = '' } = labels as { result?: string };
      counters.set(result, (counters.get(result) ?? 0) + increment);
    },
  };
  const base = attemptBase({
    metrics,
    assignment: { recordTurns },
    events: { add: (_: string, message: string, data: object) => events.push({ message, data }) },
  });
  const refused: string[] = [];
  const upload = async (file: PendingArtifact) => {
    await gate;
    if (refused.includes(file.name)) throw new Error('The object store refused the file');
    files.push(file);
    return `0198c0de-0000-7000-8000-${String(files.length).padStart(12, '0')}`;
  };
  const store = new TurnStore(base, { upload }, () => folder);
  const records = (): TurnRecord[] =>
    files
      .filter(({ name }) => name.endsWith('.json'))
      .map(({ body }) => turnRecordSchema.parse(JSON.parse((body as Buffer).toString())));
  const counts = () => Object.fromEntries(counters);
  return { base, store, files, events, records, counts, refused, release: open };
}

const image = { body: Buffer.from('jpeg'), width: 500, height: 400, hasMarks: false };
const draft = (position: Pick<TurnDraft, 'turn' | 'order' | 'at'>, overrides: Partial<TurnDraft> = {}): TurnDraft => ({
  ...position,
  goal: 'Order three ropes',
  input: { system: 'You operate a browser.', text: `Type ${SECRET}, or {{inputs.password}}` },
  prompt: { name: 'act-text', version: 1 },
  tier: 'text',
  source: 'model',
  page: aPage([anElement(3, { name: `Note ${SECRET}`, value: SECRET })]),
  answer: null,
  thought: `I type ${SECRET}`,
  planned: [clickOn(3)],
  problems: [],
  outcomes: [],
  notes: [],
  ...overrides,
});

test('a full queue drops the oldest waiting records, counts them, and reports them once', async () => {
  const { store, records, counts, events, files, release } = setUp('all');
  const group = store.startGroup({ step: 0, id: null });
  const rendered: number[] = [];
  for (let turn = 1; turn <= 30; turn += 1) {
    store.add(group, draft(store.startTurn(0, turn)), async () => {
      rendered.push(turn);
      return image;
    });
  }
  release();
  await store.finish(1_000);
  // The first record was in work already.
  expect(rendered).toEqual([1, 23, 24, 25, 26, 27, 28, 29, 30]);
  expect(records().map(({ turn }) => turn)).toEqual(rendered);
  store.reportDropped();
  store.reportDropped();
  expect(events).toEqual([
    { message: expect.stringContaining('21 records of turns were dropped'), data: { facts: { dropped: 21 } } },
  ]);
  expect(counts()).toEqual({ stored: 9, dropped: 21 });
  expect(files.map(({ kind, name, contentType }) => [kind, name, contentType]).slice(0, 2)).toEqual([
    ['turn', 'turn-0-1.jpg', 'image/jpeg'],
    ['turn', 'turn-0-1.json', 'application/json'],
  ]);
});

test('a record names its screenshot, and has placeholders and masks instead of secrets', async () => {
  const { base, store, files, records, release } = setUp('all');
  base.masker.add(SECRET);
  release();
  store.add(store.startGroup({ step: 2, id: 'goal', branch: 'left' }), draft(store.startTurn(2, 1)), async () => image);
  await store.finish(1_000);
  expect(files.map(({ name, step }) => [name, step])).toEqual([
    ['turn-2-left-1.jpg', 2],
    ['turn-2-left-1.json', 2],
  ]);
  expect(records()[0]).toMatchObject({
    branch: 'left',
    screenshot: { artifact: '0198c0de-0000-7000-8000-000000000001', width: 500, height: 400, scale: 0.5 },
    observation: { elements: [{ name: 'Note ••••', value: '••••' }] },
  });
  expect((files[1]?.body as Buffer).toString()).not.toContain(SECRET);
});

describe('with failures', () => {
  const bufferedFiles = async () => readdir(join(folder, 'turns')).catch(() => []);

  test.each([
    ['met', { notes: [{ kind: 'verified', note: 'As expected' }] }, false, 0],
    ['ended unverified', {}, false, 2],
    ['failed', { notes: [{ kind: 'verified', note: 'As expected' }] }, true, 2],
  ] as const)('a goal that is %s', async (_, last, hasFailed, count) => {
    const { store, files, records, counts, release } = setUp('failures');
    const group = store.startGroup({ step: 0, id: null });
    store.add(group, draft(store.startTurn(0, 1)), async () => image);
    store.add(group, draft(store.startTurn(0, 2), last), async () => null);
    await until('both are buffered', async () => (await bufferedFiles()).length === 3);
    expect(files).toEqual([]);
    release();
    store.endGroup(group, hasFailed);
    await store.finish(1_000);
    expect(records().map(({ turn, screenshot }) => [turn, screenshot?.width])).toEqual(
      [
        [1, 500],
        [2, undefined],
      ].slice(0, count),
    );
    expect(counts()).toEqual(count === 0 ? {} : { stored: count });
    expect(await bufferedFiles()).toEqual([]);
  });

  test('a secret that became known after the turn is masked before the upload', async () => {
    const { base, store, files, release } = setUp('failures');
    const group = store.startGroup({ step: 0, id: null });
    store.add(group, draft(store.startTurn(0, 1)), async () => null);
    await until('it is buffered', async () => (await bufferedFiles()).length === 1);
    base.masker.add(SECRET);
    release();
    store.endGroup(group, true);
    await store.finish(1_000);
    expect(files).toHaveLength(1);
    expect((files[0]?.body as Buffer).toString()).not.toContain(SECRET);
  });

  test('the other records of a goal are stored if the upload of one fails', async () => {
    const { store, records, counts, refused, release } = setUp('failures');
    refused.push('turn-0-2.json');
    const group = store.startGroup({ step: 0, id: null });
    for (const turn of [1, 2, 3]) store.add(group, draft(store.startTurn(0, turn)), async () => null);
    await until('all are buffered', async () => (await bufferedFiles()).length === 3);
    release();
    store.endGroup(group, true);
    await store.finish(1_000);
    expect(records().map(({ turn }) => turn)).toEqual([1, 3]);
    expect(counts()).toEqual({ stored: 2, failed: 1 });
    expect(await bufferedFiles()).toEqual([]);
  });

  test('records that are always kept are not buffered', async () => {
    const { store, records, release } = setUp('failures');
    release();
    store.add(store.startGroup({ step: 0, id: null }, true), draft(store.startTurn(0, 1)), async () => null);
    await store.finish(1_000);
    expect(records()).toHaveLength(1);
    await expect(access(join(folder, 'turns'))).rejects.toThrow();
  });
});

test('a record whose screenshot failed is stored without it, and an invalid one is counted', async () => {
  const { base, store, records, counts, release } = setUp('all');
  release();
  // A secret that is a word of the schema makes the record invalid.
  base.masker.add('click');
  const group = store.startGroup({ step: 0, id: null });
  store.add(group, draft(store.startTurn(0, 1)), async () => image);
  store.add(group, draft(store.startTurn(0, 2), { planned: [] }), () => Promise.reject(new Error('no page')));
  await store.finish(1_000);
  expect(records().map(({ turn, screenshot }) => [turn, screenshot])).toEqual([[2, null]]);
  expect(counts()).toEqual({ stored: 1, failed: 1 });
});

test('after the attempt nothing is stored', async () => {
  const { store, files, counts, release } = setUp('all');
  const group = store.startGroup({ step: 0, id: null });
  for (const turn of [1, 2, 3]) store.add(group, draft(store.startTurn(0, turn)), async () => null);
  store.abandon();
  release();
  await store.finish(1_000);
  store.add(group, draft(store.startTurn(0, 4)), async () => null);
  expect(files.length).toBeLessThanOrEqual(1);
  expect(counts()).toMatchObject({ dropped: 2 });
});
