/** Retries failed spec files once, alone. A short slowdown of a shared build machine then does not fail a build. */
import { suiteOf } from '../jest/suites.ts';
import type { FileReport } from './run-jest.ts';

/** With more failed files than this, the cause is a defect and nothing is retried. */
export const MAX_RETRIED_FILES = 10;

/** The result of retrying the failed files. */
export interface RetryResult {
  /** The reports of all files; retried files with their second result. */
  readonly files: readonly FileReport[];
  /** Files that failed first and passed alone, with their first error. */
  readonly flaky: readonly FileReport[];
}

/**
 * Runs each failed spec file once more. Unit tests depend on nothing outside of the process and are never retried.
 * @param run runs one spec file alone
 */
export async function retryFailedFiles(
  files: readonly FileReport[],
  run: (file: string) => Promise<FileReport | undefined>,
): Promise<RetryResult> {
  const failed = files.filter((report) => report.failed > 0);
  const retryable = failed.filter(({ file }) => suiteOf(file) !== 'unit');
  if (retryable.length === 0 || failed.length > MAX_RETRIED_FILES) return { files, flaky: [] };
  const flaky: FileReport[] = [];
  const results = new Map<string, FileReport>();
  for (const first of retryable) {
    const second = await run(first.file);
    if (!second || second.failed > 0 || second.passed === 0) continue;
    results.set(first.file, second);
    flaky.push(first);
  }
  return { files: files.map((report) => results.get(report.file) ?? report), flaky };
}
