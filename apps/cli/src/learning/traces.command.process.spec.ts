import type { Trace, TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { aRun, id } from '../testing/views.fixture.ts';
import { tracesCommand } from './traces.command.ts';

const trace: Trace = {
  ...{ run: id(7), project: id(1), workflow: id(3), workflowVersion: 1, workflowName: 'harbour-order' },
  ...{ surface: 'browser', goal: 'Order ropes', model: 'gemini/flash', status: 'completed', quality: 'bad' },
  ...{ scoreVersion: '1.1', stepCount: 2, goodCount: 1, badCount: 1, unknownCount: 0, needsReview: true },
  ...{ sites: ['shop.test'], isPinned: false, note: null },
  ...{ createdAt: '2026-05-04T12:00:00.000Z', scoredAt: '2026-05-04T12:01:00.000Z' },
};

const detail: TraceDetail = {
  ...trace,
  steps: [
    {
      ...{ ordinal: 1, step: 0, turn: 1, branch: null, record: id(8), screenshot: null, thought: 'The cart is empty.' },
      actions: [{ kind: 'act', title: 'Click Cancel', action: null, target: null, error: null }],
      ...{ quality: 'bad', reason: 'Wrong button', correctedThought: 'Save it.', correctedActions: null },
      ...{ source: 'model', version: '1.1', isDoubtful: false, note: null, labels: [] },
    },
  ],
};

const api = new ApiFixture();
beforeAll(() => api.start());
beforeEach(() => {
  api.requests.splice(0);
  api.handlers.listTraces = () => ({ items: [trace], nextCursor: null });
  api.handlers.readRun = () => aRun({ id: id(7) });
  api.handlers.readTrace = () => detail;
  api.handlers.labelTraceStep = () => detail;
  api.handlers.pinTrace = () => ({ ...trace, isPinned: true });
  api.handlers.unpinTrace = () => trace;
  api.handlers.scoreTraces = () => ({ version: '1.2', jobs: 3, isComplete: true });
  api.handlers.acceptTraceLabels = () => ({ traces: 2, steps: 5, isComplete: false });
  api.handlers.readTraceStats = () => {
    const counts = { traces: 1, good: 1, bad: 1, unknown: 0, needsReview: 1 };
    return {
      ...{ total: counts, days: [], workflows: [{ workflow: 'harbour-order', ...counts }] },
      models: [{ model: null, ...counts }],
      agreement: [{ reviewers: ['ada@example.com', 'bob@example.com'], count: 9, observed: 0.8, kappa: 0.456 }],
    };
  };
});
afterAll(() => api.stop());

const runWith = (answer: string | undefined, ...args: string[]) =>
  runCli(tracesCommand, args, {
    ...{ url: api.url, now: new Date('2026-05-04T12:04:00.000Z') },
    ...(answer !== undefined && { answer }),
  });
const run = (...args: string[]) => runWith(undefined, ...args);

test('lists traces by filter', async () => {
  const { code, out } = await run('list', '--needs-review', '--quality', 'bad', '--workflow', 'harbour-order');
  expect(code).toBe(0);
  expect(out).toContain('1 good, 1 bad, 0 unknown');
  expect(out).toContain('needed');
});

test('lists the traces of several pages up to the limit, and says when there are more', async () => {
  api.handlers.listTraces = ({ query: { limit, cursor } }) => ({
    items: Array.from({ length: Number(limit) }, () => trace),
    nextCursor: cursor === undefined ? 'next' : 'last',
  });
  const { out, err } = await run('list', '--limit', '230', '--json');
  expect((JSON.parse(out) as { items: unknown[] }).items).toHaveLength(230);
  expect(err).toBe('More traces exist. To list more, use --limit 2300.\n');
  expect(api.of('listTraces').map(({ query: { limit, cursor } }) => [limit, cursor])).toEqual([
    [200, undefined],
    [30, 'next'],
  ]);
});

test('shows the steps of a trace', async () => {
  const { code, out } = await run('show', id(7));
  expect(code).toBe(0);
  for (const text of ['Wrong button', 'The cart is empty.', 'Click Cancel', '+ Save it.']) expect(out).toContain(text);
});

test('labels a step, and refuses what is no number', async () => {
  const label = (step: string) => run('label', id(7), step, '--quality', 'bad', '--reason', 'Wrong button');
  expect(await label('1')).toMatchObject({ code: 0, out: expect.stringContaining('Step 1 is bad') });
  expect((await label('first')).code).toBe(2);
  expect((await run('label', id(7), '1', '--reason', 'x')).code).toBe(2);
});

test('labels a step with the actions that it should have had', async () => {
  const label = (actions: string) =>
    run('label', id(7), '1', '--quality', 'bad', '--reason', 'No answer', '--actions', actions);
  expect((await label('[{"kind": "done", "answer": "12 ropes"}]')).code).toBe(0);
  const correctedActions = [{ kind: 'done', answer: '12 ropes' }];
  expect(api.of('labelTraceStep').map(({ body }) => body)).toMatchObject([{ quality: 'bad', correctedActions }]);
  expect(await label('done')).toMatchObject({ code: 2, err: expect.stringContaining('--actions: use a JSON list') });
  expect(await label('[{"kind": "fly"}]')).toMatchObject({ code: 2, err: expect.stringContaining('/0/kind') });
  expect(api.of('labelTraceStep')).toHaveLength(1);
});

test('pins, scores and counts', async () => {
  expect((await run('pin', id(7))).out).toContain('Pinned');
  expect((await run('pin', id(7), '--off')).out).toContain('Unpinned');
  expect((await run('score', '--budget', '0.5')).out).toContain('3 jobs queued, for version 1.2');
  expect((await run('score', '--budget', 'all')).code).toBe(2);
  const { out } = await run('stats');
  expect(out).toContain('ada@example.com and bob@example.com: κ 0.46 over 9 steps');
  expect(out).toContain('no model');
});

const acceptances = () => api.of('acceptTraceLabels').map(({ body }) => body);
const reason = 'Accepted with a filter';

test('accepts the labels of the traces of a filter', async () => {
  const { code, out } = await run('accept', '--workflow', 'harbour-order', '--quality', 'good', '--reason', 'Sampled');
  expect({ code, out }).toEqual({
    code: 0,
    out: 'Labeled 5 steps of 2 traces.\nMore traces match. Run the command again.\n',
  });
  const filter = { workflow: 'harbour-order', quality: ['good'] };
  expect(acceptances()).toEqual([{ filter, reason: 'Sampled', dryRun: false }]);
});

test('a dry run of an acceptance only counts', async () => {
  expect((await runWith('y', 'accept', '--dry-run')).out).toContain('Would label 5 steps of 2 traces.');
  expect(acceptances()).toEqual([{ filter: {}, reason, dryRun: true }]);
});

test.each([
  ['y', 'Labeled 5 steps of 2 traces.', [true, false]],
  ['n', 'Nothing labeled.', [true]],
])('an acceptance on a terminal shows the counts, and the answer %j is followed', async (answer, text, dryRuns) => {
  const { out, err } = await runWith(answer, 'accept', '--quality', 'good');
  expect(err).toContain('Label 5 steps of 2 traces with their current quality? [y/N]');
  expect(out + err).toContain(text);
  const filter = { quality: ['good'] };
  expect(acceptances()).toEqual(dryRuns.map((dryRun) => ({ filter, reason, dryRun })));
});

test('an acceptance without a match asks nothing', async () => {
  api.handlers.acceptTraceLabels = () => ({ traces: 0, steps: 0, isComplete: true });
  expect((await runWith('y', 'accept')).err).toBe('No steps to label.\n');
  expect((await runWith('y', 'accept', '--yes')).out).toBe('Labeled 0 steps of 0 traces.\n');
  expect(acceptances().map((body) => (body as { dryRun: boolean }).dryRun)).toEqual([true, false]);
});
