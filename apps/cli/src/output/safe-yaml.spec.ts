import { parse } from 'yaml';
import { yaml } from './safe-yaml.ts';

test.each([
  { title: 'plain', steps: [{ text: 'two\nlines' }] },
  { title: 'a\u009b2Jb', more: 'x\u202ey', long: `${'word '.repeat(60)}\u0085` },
  { title: '\u001b[2J"quoted"\u007f' },
])('%j comes out as itself, without controls', (value) => {
  const text = yaml(value);
  expect(parse(text)).toEqual(value);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
