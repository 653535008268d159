import { checkComments, repeatsName } from './comment-rules.ts';

test.each([
  ['Options of a run', 'RunOptions', true],
  ['Prints one line', 'printLine', true],
  ['All action names', 'actionNames', true],
  ['Names of the secret inputs', 'secrets', false],
  ['Timeout of one download in seconds', 'DOWNLOAD_TIMEOUT', false],
  ['@see RunOptions', 'RunOptions', false],
])('%s → %s: repeated %s', (comment, name, expected) => expect(repeatsName(comment, name)).toBe(expected));

test('the place of each problem is named', () => {
  const text = [
    'const a = 1;',
    '/** Options of a run. */',
    'export interface RunOptions {}',
    '/** Number of runs in one batch. */',
    'export const BATCH = 2;',
    '// Whether it runs.',
  ].join('\n');
  expect(checkComments([{ path: 'a.ts', text }])).toEqual([
    'a.ts:2: the comment repeats the name RunOptions. Delete it, or add what a caller needs.',
    'a.ts:6: begin the comment with a noun or a verb, not with "Whether".',
  ]);
});
