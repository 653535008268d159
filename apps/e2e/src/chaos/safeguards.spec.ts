import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { safeguards } from './safeguards.ts';

const root = join(import.meta.dirname, '../../../..');
const edits = Object.entries(safeguards).flatMap(([name, { edits }]) => edits.map((edit) => ({ name, ...edit })));

test.each(edits)('$name: the code to remove is in $file exactly once', async ({ file, from, to }) => {
  const text = await readFile(join(root, file), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  expect(text.replace(from, to)).not.toBe(text);
});
