import { MAX_RETRIED_FILES, retryFailedFiles } from './flaky-retry.ts';
import type { FileReport } from './run-jest.ts';

const report = (file: string, failed: number): FileReport => ({
  file,
  passed: 3,
  failed,
  skipped: 0,
  seconds: 1,
  error: failed > 0 ? 'Error: too late' : null,
});

/** Runs files that pass alone, except the named ones, and remembers which were run. */
function alone(...broken: string[]) {
  const runs: string[] = [];
  const run = (file: string) => {
    runs.push(file);
    return Promise.resolve(report(file, broken.includes(file) ? 1 : 0));
  };
  return { runs, run };
}

test('a file that passes alone counts as passed and is listed with its first error', async () => {
  const { runs, run } = alone('b.db.spec.ts');
  const files = [report('a.e2e.spec.ts', 2), report('b.db.spec.ts', 1), report('c.db.spec.ts', 0)];
  const result = await retryFailedFiles(files, run);
  expect(runs).toEqual(['a.e2e.spec.ts', 'b.db.spec.ts']);
  expect(result.files.map(({ file, failed }) => [file, failed])).toEqual([
    ['a.e2e.spec.ts', 0],
    ['b.db.spec.ts', 1],
    ['c.db.spec.ts', 0],
  ]);
  expect(result.flaky).toEqual([expect.objectContaining({ file: 'a.e2e.spec.ts', error: 'Error: too late' })]);
});

test('unit tests are never retried', async () => {
  const { runs, run } = alone();
  const result = await retryFailedFiles([report('a.spec.ts', 1), report('b.db.spec.ts', 1)], run);
  expect(runs).toEqual(['b.db.spec.ts']);
  expect(result.files.map(({ failed }) => failed)).toEqual([1, 0]);
});

test('many failed files are a defect: nothing is retried', async () => {
  const { runs, run } = alone();
  const files = Array.from({ length: MAX_RETRIED_FILES + 1 }, (_, index) => report(`${index}.db.spec.ts`, 1));
  expect(await retryFailedFiles(files, run)).toEqual({ files, flaky: [] });
  expect(runs).toEqual([]);
});

test('a file that could not be run again stays failed', async () => {
  const files = [report('a.db.spec.ts', 1)];
  expect(await retryFailedFiles(files, () => Promise.resolve(undefined))).toEqual({ files, flaky: [] });
});
