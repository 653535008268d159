/** Repeats failed spec files once, alone, so that one slow moment of a shared build machine does not fail a build. */
import { suiteOf } from '../jest/suites.ts';
import type { FileReport } from './jest.ts';

/** With more failed files than this, the cause is a defect and nothing is repeated. */
export const MAX_RETRIED_FILES = 10;

/** What repeating the failed files gave. */
export interface RetryResult {
  /** The reports of all files; those that were repeated with their second result. */
  readonly files: readonly FileReport[];
  /** Files that failed first and passed alone, with their first error. */
  readonly flaky: readonly FileReport[];
}

/**
 * Runs each failed spec file once more. Unit tests depend on nothing outside of the process and are never repeated.
 * @param run runs one spec file alone
 */
export async function retryFailedFiles(
  files: readonly FileReport[],
  run: (file: string) => Promise<FileReport | undefined>,
): Promise<RetryResult> {
  const failed = files.filter((report) => report.failed > 0);
  const repeatable = failed.filter(({ file }) => suiteOf(file) !== 'unit');
  if (repeatable.length === 0 || failed.length > MAX_RETRIED_FILES) return { files, flaky: [] };
  const flaky: FileReport[] = [];
  const results = new Map<string, FileReport>();
  for (const first of repeatable) {
    const second = await run(first.file);
    if (!second || second.failed > 0 || second.passed === 0) continue;
    results.set(first.file, second);
    flaky.push(first);
  }
  return { files: files.map((report) => results.get(report.file) ?? report), flaky };
}
