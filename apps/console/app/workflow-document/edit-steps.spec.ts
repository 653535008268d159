import { duplicateStep, insertStep, moveStep, removeStep, setField, shiftStep, type Shift } from './edit-steps.ts';
import { keyOf, type Path } from './yaml-path.ts';

const file = `# The morning round
name: round
steps:
  # opens it
  - action: navigate
    url: 'https://a.example' # the staging one
  - id: rows
    action: forEach
    in: '[1, 2]'
    steps:
      - { action: press, key: "Enter" }
      - action: wait
        seconds: 1

  # never waits long
  - action: try
    steps:
      - action: reload
    catch:
      - action: screenshot
output: "{{steps.rows.value}}"
`;

/** Actions in the order of the file, indented as deep as they stand. */
const shape = (text: string) =>
  [...text.matchAll(/^( *)(?:- )?.*action: (\w+)/gm)].map(([, indent = '', action]) =>
    [Math.floor(indent.length / 4), action].join(' '),
  );
const untouched = [
  '# The morning round',
  "'https://a.example' # the staging one",
  '{ action: press, key: "Enter" }',
  '# never waits long',
];
const into = (path: Path) => (['/steps/1', '/steps/2'].includes(keyOf(path)) ? [...path, 'steps'] : null);

test('a step is inserted between others, and nothing else changes', () => {
  const { text, path } = insertStep(file, ['steps'], 1, { action: 'reload' });
  expect(path).toEqual(['steps', 1]);
  expect(text).toBe(file.replace('  - id: rows', '  - action: reload\n  - id: rows'));
});

test('inserting a step creates a missing list', () => {
  const { text, path } = insertStep(file, ['steps', 2, 'finally'], 0, { action: 'reload' });
  expect(path).toEqual(['steps', 2, 'finally', 0]);
  expect(text).toContain('    finally:\n      - action: reload\n');
});

test('a moved step takes its comment along', () => {
  const { text, path } = moveStep(file, ['steps', 0], ['steps', 1, 'steps'], 1);
  expect(path).toEqual(['steps', 0, 'steps', 1]);
  expect(text).toMatch(/key: "Enter" }\n\s+# opens it\n\s+- action: navigate/);
  for (const line of untouched) expect(text).toContain(line);
});

test.each<[Path, Shift, Path | null, number]>([
  [['steps', 0], 'up', null, 0],
  [['steps', 0], 'down', ['steps', 1], 0],
  [['steps', 0], 'in', null, 0],
  [['steps', 0], 'out', null, 0],
  [['steps', 2], 'in', ['steps', 1, 'steps', 2], 0],
  [['steps', 1, 'steps', 1], 'up', ['steps', 1, 'steps', 0], 0],
  [['steps', 1, 'steps', 1], 'down', null, 0],
  [['steps', 1, 'steps', 1], 'in', null, 0],
  [['steps', 1, 'steps', 1], 'out', ['steps', 2], 0],
  [['steps', 2, 'catch', 0], 'out', ['steps', 3], 0],
])('moving %j %s leads to %j', (startPath, shift, endPath) => {
  const edited = shiftStep(file, startPath, shift, into);
  expect(edited?.path ?? null).toEqual(endPath);
  if (!edited) return;
  expect(
    shape(edited.text)
      .map((line) => line.split(' ')[1])
      .sort(),
  ).toEqual(
    shape(file)
      .map((line) => line.split(' ')[1])
      .sort(),
  );
  for (const line of untouched) expect(edited.text).toContain(line);
});

test('opposite moves restore the file', () => {
  const down = shiftStep(file, ['steps', 1], 'down', into);
  expect(shiftStep(down?.text ?? '', down?.path ?? [], 'up', into)?.text).toBe(file);
  const inside = moveStep(file, ['steps', 2], ['steps', 1, 'steps'], 2);
  expect(shiftStep(inside.text, inside.path, 'out', into)).toEqual({ text: file, path: ['steps', 2] });
});

test('a step cannot be moved into itself', () =>
  expect(() => moveStep(file, ['steps', 1], ['steps', 1, 'steps'], 0)).toThrow('inside of itself'));

test('removing the last step removes a `catch`, but keeps empty `steps`', () => {
  expect(moveStep(file, ['steps', 2, 'catch', 0], ['steps'], 0).text).not.toContain('catch');
  expect(removeStep(file, ['steps', 2, 'catch', 0]).text).not.toContain('catch');
  expect(removeStep(file, ['steps', 2, 'steps', 0]).text).toContain('- action: try\n    steps: []\n');
});

test('after a removal, the next step is selected', () => {
  expect(removeStep(file, ['steps', 0]).path).toEqual(['steps', 0]);
  expect(removeStep(file, ['steps', 2]).path).toEqual(['steps', 1]);
  expect(removeStep(file, ['steps', 2, 'steps', 0]).path).toEqual(['steps', 2]);
  expect(shape(removeStep(file, ['steps', 1]).text)).toEqual(
    ['0 navigate', '1 try', '1 reload', '1 screenshot'].map((line) =>
      expect.stringContaining(line.split(' ')[1] ?? ''),
    ),
  );
});

test('a copy has no id, because ids are unique', () => {
  const { text, path } = duplicateStep(file, ['steps', 1]);
  expect(path).toEqual(['steps', 2]);
  expect(text.match(/action: forEach/g)).toHaveLength(2);
  expect(text.match(/id: rows/g)).toHaveLength(1);
});

test.each<[string, Path, Path, unknown, string, string]>([
  [
    'a text keeps its quotes and its comment',
    ['steps', 0],
    ['url'],
    'https://b.example',
    "'https://a.example' #",
    "'https://b.example' #",
  ],
  [
    'a field is added before the steps of a block',
    ['steps', 1],
    ['maxIterations'],
    5,
    "'[1, 2]'\n",
    "'[1, 2]'\n    maxIterations: 5\n",
  ],
  [
    'an object grows',
    ['steps', 0],
    ['expect', 'url'],
    '/in',
    '# the staging one\n',
    '# the staging one\n    expect:\n      url: /in\n',
  ],
  ['a field goes', ['steps', 1, 'steps', 1], ['seconds'], undefined, '        seconds: 1\n', ''],
])('%s', (_, step, field, value, oldText, newText) =>
  expect(setField(file, step, field, value).text).toBe(file.replace(oldText, newText)),
);

test('the quotes of an empty text are not preserved', () => {
  const { text } = setField(file, ['steps', 0], ['title'], '');
  expect(text).toContain('title: ""\n');
  expect(setField(text, ['steps', 0], ['title'], 'Home').text).toContain('title: Home\n');
});

test('an object without fields is removed', () => {
  const { text } = setField(file, ['steps', 0], ['expect'], { url: '/in' });
  expect(setField(text, ['steps', 0], ['expect', 'url'], undefined).text).toBe(file);
});

test('an invalid file is not changed', () =>
  expect(() => removeStep('steps: [', ['steps', 0])).toThrow('Fix the YAML errors first.'));

describe('branches', () => {
  const text = `name: side
steps:
  - action: parallel
    branches:
      rate: { action: http, url: https://a.example }
      steps:
        - action: navigate
          url: https://b.example
      shop:
        - action: navigate
          url: https://c.example
        - action: screenshot
  - action: reload
`;
  const branch = (name: string): Path => ['steps', 0, 'branches', name];

  test('accept steps, and let them be moved out', () => {
    const inside = shiftStep(text, ['steps', 1], 'in', () => branch('shop'));
    expect(inside?.path).toEqual([...branch('shop'), 2]);
    expect(inside?.text).toContain('        - action: screenshot\n        - action: reload\n');
    expect(shiftStep(inside?.text ?? '', inside?.path ?? [], 'out', () => null)).toEqual({ text, path: ['steps', 1] });
  });

  test('are removed with their last step, whatever their name', () => {
    const { text: without, path } = removeStep(text, [...branch('steps'), 0]);
    expect(without).not.toContain('b.example');
    expect(without).not.toContain('      steps:');
    expect(path).toEqual(['steps', 0]);
  });
});

test.each([
  ['too long', `# ${'x'.repeat(270_000)}\n`],
  ['with a merge key', 'base: &base { a: 1 }\nmore: { <<: *base }\n'],
  ['with a key that stands there twice', 'a: 1\na: 2\n'],
])('a text is not changed if it is %s', (_, suffix) => {
  const text = `name: x\nsteps:\n  - action: reload\n${suffix}`;
  expect(() => insertStep(text, ['steps'], 1, { action: 'goBack' })).toThrow('Fix the YAML errors first.');
});

test('comments of a text without a document are kept', () => {
  expect(insertStep('# note\n', ['steps'], 0, { action: 'goBack' }).text).toBe(
    '# note\n\nsteps:\n  - action: goBack\n',
  );
});
