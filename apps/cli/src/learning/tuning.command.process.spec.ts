import type { TuningEstimate } from '@pilothouse/contract/learning/tuning-progress.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { tuningCommand } from './tuning.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => (api.requests.length = 0));

const timestamp = '2026-05-04T12:00:00.000Z';
const anEstimate = (facts: Partial<TuningEstimate> = {}): TuningEstimate => ({
  ...{ examples: 1_200, textTokens: 300_000, images: 1_200, imageTokens: 1_440_000, epochs: 3, isEpochsAssumed: false },
  ...{ trainedTokens: 5_220_000, isExtrapolated: false, usdPerMillionTokens: 0.5, usd: 2.61, reason: null },
  ...facts,
});
const aJob = () => ({
  ...{ id: id(1), kind: 'tune' as const, status: 'queued' as const, params: {}, progress: null, result: null },
  ...{
    error: null,
    attempts: 0,
    runAt: timestamp,
    isCancelRequested: false,
    budgetUsd: null,
    usedUsd: 0,
    usedTokens: 0,
  },
  ...{ createdBy: null, createdAt: timestamp, startedAt: null, finishedAt: null },
});
const flags = [
  'rope-v2',
  '--tuner',
  'together',
  '--endpoint',
  'together',
  '--base',
  'qwen',
  '--training',
  `export:${id(2)}`,
];
const run = (...args: string[]) => runCli(tuningCommand, args, { url: api.url, now: new Date(timestamp) });

test('an estimate shows tokens and price, and starts nothing', async () => {
  api.handlers.estimateTuning = () => anEstimate();
  const { out } = await run('estimate', ...flags);
  expect(out).toMatch(/examples +1,200/);
  expect(out).toMatch(/tokens per epoch +300,000 text, 1,440,000 image \(1,200 images\)/);
  expect(out).toMatch(/estimated cost +\$2\.61/);
  expect(api.of('startTuning')).toEqual([]);
});

test('a start without a terminal prints the estimate and continues', async () => {
  api.handlers.estimateTuning = () => anEstimate({ usd: null, reason: 'Price not known: set it.' });
  api.handlers.startTuning = () => aJob();
  const { out, err } = await run('start', ...flags);
  expect(err).toMatch(/estimated cost +Price not known: set it\./);
  expect(out).toContain('Started tuning job 0197f3c2-1a2b for rope-v2');
  expect(api.of('startTuning')[0]?.body).toMatchObject({ name: 'rope-v2', training: { export: id(2) } });
});

test('an export id prefix is resolved from the export jobs', async () => {
  api.handlers.listJobs = () => ({
    items: [{ ...aJob(), kind: 'export' as const, params: { dataset: id(9), export: id(2) } }],
    nextCursor: null,
  });
  api.handlers.estimateTuning = () => anEstimate();
  const { code } = await run('estimate', ...flags.slice(0, -1), 'export:0197f3c2', '--validation', 'export:last');
  expect(code).toBe(0);
  const queries = api.of('listJobs').map(({ query }) => query);
  expect(queries).toMatchObject([{ kind: ['export'] }, { kind: ['export'], status: ['completed'] }]);
  const source = { export: id(2) };
  expect(api.of('estimateTuning')[0]?.body).toMatchObject({ training: source, validation: source });
});

test.each([
  ['y', 1],
  ['', 0],
])('a start on a terminal waits for a confirmation: the answer %j starts %p jobs', async (answer, jobs) => {
  api.handlers.estimateTuning = () => anEstimate();
  api.handlers.startTuning = () => aJob();
  const { err } = await runCli(tuningCommand, ['start', ...flags], {
    ...{ url: api.url, answer, environment: { NO_COLOR: '1' } },
  });
  expect(err).toMatch(/estimated cost +\$2\.61[\s\S]*Start tuning rope-v2\? \[y\/N\]/);
  expect(api.of('startTuning')).toHaveLength(jobs);
});

test('the logs are the states and log lines by time, then the last losses', async () => {
  api.handlers.listJobs = () => ({ items: [aJob()], nextCursor: null });
  api.handlers.readTuningEvents = () => ({
    ...{ job: id(1), status: 'running', tunerJob: 'ft-1', trainedTokens: null, usd: null },
    states: [{ state: 'running', at: '2026-05-04T12:00:05.000Z' }],
    messages: [{ at: timestamp, text: 'Created' }],
    loss: [{ step: 7, trainingLoss: 1.5, validationLoss: null }],
  });
  const { out } = await run('logs', '0197f3c2');
  expect(api.of('listJobs')[0]?.query).toMatchObject({ kind: ['tune'] });
  expect(out).toMatch(/12:00:00 +Created\n.*12:00:05 +state: running\n/);
  expect(out).toMatch(/7 +1\.5000 +–/);
});
