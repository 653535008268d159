import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkExports } from './run-check.ts';

test('datasets and atif load every export, with all of its lines and images', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'check-exports-'));
  try {
    const { status, output } = await checkExports({ folder, steps: 40, hasTrainers: false });
    if (status === 'skipped') {
      console.warn(output);
      return;
    }
    expect({ status, output }).toMatchObject({ status: 'passed', output: expect.stringContaining('0 failed') });
    for (const format of ['gemini', 'together', 'fireworks', 'llamafactory', 'swift', 'trl', 'atif', 'raw'])
      expect(output).toMatch(new RegExp(`^${format}-sft-\\S+: [1-9]\\d* lines, [1-9]\\d* images$`, 'm'));
  } finally {
    await rm(folder, { recursive: true });
  }
}, 900_000);
