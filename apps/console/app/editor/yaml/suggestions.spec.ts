import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';
import { suggest } from './suggestions.ts';

const schema = workflowJsonSchema();

/** Suggestions at the `|` of a text. */
const suggestAt = (text: string) => suggest(schema, text.replace('|', ''), text.indexOf('|'));
const labels = (text: string) => suggestAt(text)?.items.map(({ label }) => label) ?? [];

/** Text after the suggestion with a label is accepted. */
function accept(text: string, label: string): string {
  const suggestions = suggestAt(text);
  const item = suggestions?.items.find((suggestion) => suggestion.label === label);
  if (!suggestions || !item) throw new Error(`${label} is not suggested`);
  const plain = text.replace('|', '');
  return plain.slice(0, suggestions.start) + item.text + plain.slice(suggestions.end);
}

test('top-level keys that the file does not have are suggested', () => {
  expect(labels('name: a\n|')).toEqual(expect.arrayContaining(['steps', 'inputs', 'timeout']));
  expect(labels('name: a\n|')).not.toContain('name');
  expect(labels('name: a\nsteps: []\n|')).not.toContain('action');
});

test('a new step begins with its action', () => {
  expect(labels('steps:\n  - |')).toEqual(['action']);
  expect(accept('steps:\n  - ac|', 'action')).toBe('steps:\n  - action: ');
});

test('all actions are suggested, with help', () => {
  const items = suggestAt('steps:\n  - action: |\n')?.items ?? [];
  expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['navigate', 'click', 'forEach']));
  expect(items.find(({ label }) => label === 'navigate')?.help).toContain('Open a URL');
});

test('the keys of a step depend on its action; required ones come first', () => {
  const navigate = labels('steps:\n  - action: navigate\n    |\n  - action: click\n');
  expect(navigate[0]).toBe('url');
  expect(navigate).toEqual(expect.arrayContaining(['waitUntil', 'timeout']));
  expect(navigate).not.toContain('target');
  expect(labels('steps:\n  - action: click\n    |')).toContain('target');
});

test('keys are suggested in nested steps, flow maps and lists of locators', () => {
  expect(labels("steps:\n  - action: forEach\n    in: '[1]'\n    steps:\n      - action: press\n        |")).toContain(
    'key',
  );
  expect(labels('steps:\n  - action: click\n    target: { |')).toEqual(expect.arrayContaining(['role', 'css', 'text']));
  expect(labels('steps:\n  - action: click\n    target: { role: button, | }')).toContain('name');
  expect(labels('steps:\n  - action: click\n    target:\n      - role: button\n        |')).toContain('name');
});

test('values are suggested for choices, booleans and inputs', () => {
  expect(labels('surface: |')).toEqual(['browser', 'desktop']);
  expect(labels('steps:\n  - action: navigate\n    waitUntil: do|')).toEqual(['load', 'domcontentloaded', 'commit']);
  expect(labels('steps:\n  - action: click\n    idempotent: |')).toEqual(['true', 'false']);
  expect(labels('inputs:\n  port: { type: | }')).toEqual(expect.arrayContaining(['string', 'integer', 'file']));
});

test('templates are completed with inputs and steps', () => {
  const text =
    "inputs:\n  port: { type: string }\nsteps:\n  - id: head\n    action: extract\n    value: {}\noutput: '{{ |'\n";
  expect(labels(text)).toEqual(['inputs.port', 'steps.head.value']);
});

test('a suggested key inserts the start of its value', () => {
  expect(accept('name: a\nst|', 'steps')).toBe('name: a\nsteps:\n  - ');
  expect(accept('name: a\ninp|', 'inputs')).toBe('name: a\ninputs:\n  ');
  expect(accept('name: a\nti|: One', 'title')).toBe('name: a\ntitle: One');
});

test('comments and free text have no completion', () => {
  expect(suggestAt('# na|')).toBeNull();
  expect(suggestAt('title: Rea|')).toBeNull();
});

test('errors later in the file do not prevent completion', () =>
  expect(labels('name: a\nsteps:\n  - action: click\n    |\n  - action: [\n')).toContain('target'));
