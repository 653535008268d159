import { FormProblem } from '../shared/form-problem.ts';
import { projectChange, learningOf } from './project-form.ts';

const form = (fields: Record<string, string>) =>
  projectChange((field) => ({ reach: 'public', turns: 'off', ...fields })[field] ?? '');

test('an empty field means no limit', () =>
  expect(form({})).toEqual({
    maxConcurrentRuns: null,
    retention: { runsDays: null, eventsDays: null, artifactsDays: null },
    egress: { allow: null },
    politeness: null,
    budgets: null,
    models: null,
    agents: null,
    learning: null,
  }));

test('reads all settings', () =>
  expect(
    form({
      maxConcurrentRuns: '5',
      runsDays: '30',
      reach: 'listed',
      allow: 'a.example,\n *.b.example',
      'budgets.month.usd': '20',
      robots: 'report',
      'models.default.use': 'openai/x',
      repairPolicy: 'publish',
      turns: 'sample',
      samplePercent: '5',
    }),
  ).toEqual({
    maxConcurrentRuns: 5,
    retention: { runsDays: 30, eventsDays: null, artifactsDays: null },
    egress: { allow: ['a.example', '*.b.example'] },
    politeness: { robots: 'report' },
    budgets: { month: { usd: 20 } },
    models: { default: { use: ['openai/x'] } },
    agents: { repairPolicy: 'publish' },
    learning: { record: { turns: 'sample', samplePercent: 5 }, shareTraces: false },
  }));

test('an empty list allows no host', () => expect(form({ reach: 'listed' }).egress).toEqual({ allow: [] }));

test.each([
  ['runsDays', 'soon'],
  ['maxConcurrentRuns', '0'],
  ['models.act.maxTokens', 'many'],
])('names the invalid field %s', (field, text) => {
  const change = () => form({ [field]: text });
  expect(change).toThrow(FormProblem);
  expect(change).toThrow(expect.objectContaining({ field }));
});

test('a form without a host policy is rejected, because it must not allow all hosts', () => {
  for (const mode of ['', 'nonsense'])
    expect(() => form({ reach: mode })).toThrow(expect.objectContaining({ field: 'reach' }));
});

const read = (fields: Record<string, string>) => learningOf((field) => fields[field] ?? '');

test.each([
  [{ turns: 'off' }, null],
  [{ turns: 'all' }, { record: { turns: 'all' }, shareTraces: false }],
  [
    { turns: 'sample', samplePercent: ' 25 ' },
    { record: { turns: 'sample', samplePercent: 25 }, shareTraces: false },
  ],
  [
    { turns: 'off', shareTraces: 'on' },
    { record: { turns: 'off' }, shareTraces: true },
  ],
])('the form %j is the setting %j', (fields, expected) => {
  expect(read(fields as Record<string, string>)).toEqual(expected);
});

test.each(['0', '101', '2.5', 'ten'])('%s is no percentage', (samplePercent) => {
  expect(() => read({ turns: 'sample', samplePercent })).toThrow(FormProblem);
});

test('an unknown mode is not saved as off', () => {
  expect(() => read({ turns: 'some' })).toThrow(FormProblem);
});
