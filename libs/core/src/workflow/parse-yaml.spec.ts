import { MAX_YAML_CHARS, readYaml, YamlProblem } from './parse-yaml.ts';

const filled = (part: (index: number) => string, length = MAX_YAML_CHARS - 100) => {
  let text = '';
  for (let index = 0; text.length < length; index += 1) text += part(index);
  return text;
};

/** Texts on which a reader of YAML takes long, overflows its stack or makes far more than was sent. */
const hostile: [string, string, RegExp][] = [
  ['distinct keys', filled((index) => `k${index}: 1\n`), /more than 100000 YAML tokens/],
  ['more characters than are read', `a: ${'x'.repeat(420_000)}`, /has 420003 characters, more than 262144/],
  ['deep lists', '['.repeat(100_000), /more than 100 levels deep/],
  ['deep lists in blocks', '- '.repeat(50_000), /more than 100 levels deep/],
  ['deep maps', filled((index) => `${' '.repeat(index)}a:\n`, 100_000), /more than 100 levels deep/],
  ['deep keys', '? '.repeat(50_000), /more than 100 levels deep/],
  ['brackets that close nothing', '}'.repeat(90_000), /Unexpected flow-map-end token/],
  ['commas without values', `[${','.repeat(90_000)}]`, /Unexpected , in flow sequence/],
  ['documents', '---\n'.repeat(30_000), /second YAML document|no document/],
  ['unknown tags', filled((index) => `- !x${index} 1\n`, 100_000), /Unresolved tag/],
  ['merge keys', 'a: &a { b: 1 }\nc:\n  <<: *a\n', /Merge keys \(<<\) are not supported: write the fields out/],
  ['merge keys by directive', '%YAML 1.1\n---\na: &a { b: 1 }\nc:\n  <<: *a\n', /Merge keys/],
  ['many aliases', `- &a 1\n${'- *a\n'.repeat(200)}`, /more than 100 aliases/],
  ['aliases of much', `- &a ${'x'.repeat(50_000)}\n${'- *a\n'.repeat(90)}`, /expand to too many/],
  [
    'aliases of aliases',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]\n`).join('')}`,
    /cannot be resolved/,
  ],
  ['an alias of itself', 'a: &a [*a]', /cannot be resolved|expand to too many/],
  ['a key twice', 'a: 1\nb: 2\na: 3\n', /key is duplicated/],
  ['a key that is a list', '? [a, b]\n: 1\n', /A key must be a string/],
  ['a prototype', '{"__proto__": {"admin": true}}', /key __proto__ is not allowed/],
];

test.each(hostile)('%s', (_, text, problem) => {
  expect(() => readYaml(text)).toThrow(YamlProblem);
  expect(() => readYaml(text)).toThrow(problem);
});

test('a problem has its line and column', () => {
  expect(() => readYaml('a: 1\nb: 2\na: 3\n')).toThrow(expect.objectContaining({ offset: 10 }));
});

test('the largest accepted text is parsed in linear time', () => {
  const time = (lines: number) => {
    const text = Array.from({ length: lines }, (_, index) => `key-${index}: value\n`).join('');
    const start = process.cpuUsage().user;
    expect(Object.keys(readYaml(text)?.value as object)).toHaveLength(lines);
    return process.cpuUsage().user - start;
  };
  time(500);
  // A quadratic reader takes 64 times as long.
  expect(time(12_000)).toBeLessThan(30 * time(1_500));
});

test('values, aliases and comments are parsed; an empty document is null', () => {
  expect(readYaml('# head\na: &x { b: [1, true, null, "t"] }\nc: *x\n')?.value).toEqual({
    a: { b: [1, true, null, 't'] },
    c: { b: [1, true, null, 't'] },
  });
  expect(readYaml('')).toBeNull();
  expect(readYaml('# only a comment')).toBeNull();
});
