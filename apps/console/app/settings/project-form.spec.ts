import { FormProblem } from '../shared/form-problem.ts';
import { noteFieldOf } from './agent-note-form.ts';
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
      'notes.count': '2',
      'notes.0.kind': 'app',
      'notes.0.subject': ' mousepad ',
      'notes.0.text': 'Control+S saves',
      'notes.1.kind': 'site',
      'notes.1.subject': '*.example.com',
      'notes.1.text': 'Prices are net',
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
    agents: {
      repairPolicy: 'publish',
      notes: [
        { app: 'mousepad', text: 'Control+S saves' },
        { site: '*.example.com', text: 'Prices are net' },
      ],
    },
    learning: { record: { turns: 'sample', samplePercent: 5 }, shareTraces: false },
  }));

test.each([
  ['notes.0.subject', { 'notes.0.text': 'Control+S saves' }, 'Enter an application or remove the note.'],
  ['notes.0.subject', { 'notes.0.kind': 'site', 'notes.0.text': 'x' }, 'Enter a host or remove the note.'],
  ['notes.0.text', { 'notes.0.subject': 'mousepad' }, 'Enter a text or remove the note.'],
  ['notes.0.text', { 'notes.0.subject': 'mousepad', 'notes.0.text': 'x'.repeat(501) }, 'Shorten the text to 500'],
])('a note needs the field %s', (field, fields, message) => {
  const change = () => form({ 'notes.count': '1', ...fields });
  expect(change).toThrow(expect.objectContaining({ field, message: expect.stringContaining(message) }));
});

test('an error of the API is shown at the field of its note', () => {
  expect(noteFieldOf('/agents/notes/2/site')).toBe('notes.2.subject');
  expect(noteFieldOf('/agents/notes/2/text')).toBe('notes.2.text');
  expect(noteFieldOf('/agents/actionCache')).toBeNull();
});

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
