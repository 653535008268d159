import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseWorkflow } from '@pilothouse/core';

const examples = join(import.meta.dirname, '../../../docs/examples');

test('every example of the documentation is a valid workflow', async () => {
  const files = (await readdir(examples)).filter((name) => name.endsWith('.yaml'));
  expect(files).toContain('harbour-order.yaml');
  for (const file of files) {
    const { name } = parseWorkflow(await readFile(join(examples, file), 'utf8'), { file });
    expect(`${name}.yaml`).toBe(file);
  }
});
