import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, nounOf, rowCountOf, shortCountOf } from './number-format.ts';

test.each([
  [countOf(0, 'run'), '0 runs'],
  [countOf(1, 'run'), '1 run'],
  [countOf(2000, 'run'), '2,000 runs'],
  [countOf(1, 'match', 'matches'), '1 match'],
  [countOf(2, 'match', 'matches'), '2 matches'],
  [shortCountOf(1, 'token'), '1 token'],
  [shortCountOf(12_400, 'token'), '12.4K tokens'],
  [rowCountOf(1, 'run', false), '1 run'],
  [rowCountOf(1, 'run', true), '1+ runs'],
  [rowCountOf(0, 'run', false), '0 runs'],
  [nounOf(1, 'run'), 'run'],
])('%s is written as %s', (text, expected) => expect(text).toBe(expected));

test('no page writes the plural of a count by itself', () => {
  const root = join(import.meta.dirname, '..');
  // A count, `{rows.length} runs` or `${count(rows)} runs`, not a value of JSX such as `rows={rows} runs`.
  const plural =
    /(?:\$\{|>\s*\{|\}\s|\s\{)(?:count\(|short\()?[\w.]+\)?(?:\.length)?\} (?:steps|runs|rows|turns|attempts|files|actions|elements|events|workers|tokens|traces|examples|images|lines|matches|entries|jobs)\b(?![=])/;
  const own = /=== 1 \? '\w+' : '\w+s'/;
  const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.spec.'));
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => own.test(line) || (plural.test(line) && !exceptions.some((text) => line.includes(text))))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

/** Words that are no counts: a quality, a surface, or a constant. */
const exceptions = ['${surface} ', '{quality} traces', 'MAX_', 'of the last', 'answer.report.'];
