import { insertStep, moveStep, removeStep, setField, type EditResult } from './edit-steps.ts';

/** Formatting that the console would not print. */
const source = `# Rounds
name:   round
inputs: {sku: {type: string}}   # by hand
steps:

  - action: navigate
    url:    "https://a.example"


  - {action: press, key: 'Enter'}
  - action: forEach
    in: [1,2,
         3]
    steps:
    - action: click
      target: {role: button, name: Go}
`;

test.each<[string, (text: string) => EditResult, string]>([
  [
    'a field that changes',
    (text) => setField(text, ['steps', 0], ['url'], 'https://b.example'),
    source.replace('    url:    "https://a.example"', '    url: "https://b.example"'),
  ],
  [
    'a step that goes',
    (text) => removeStep(text, ['steps', 1]),
    source.replace("\n\n  - {action: press, key: 'Enter'}\n", '\n'),
  ],
  [
    'a step that comes',
    (text) => insertStep(text, ['steps'], 2, { action: 'reload' }),
    source.replace('  - action: forEach', '  - action: reload\n  - action: forEach'),
  ],
])('%s preserves the formatting of all other lines', (_, change, expected) => {
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  expect(lines(change(source).text)).toEqual(lines(expected));
});

test('a moved step keeps its formatting', () => {
  const { text } = moveStep(source, ['steps', 1], ['steps'], 0);
  expect(text).toContain("  - {action: press, key: 'Enter'}\n");
  expect(text).toContain('in: [1,2,\n         3]\n');
  expect(text).toContain('inputs: {sku: {type: string}}   # by hand\n');
});
