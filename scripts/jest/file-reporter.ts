/**
 * A jest reporter that appends the counts of each spec file, as a line of JSON, to the file that PILOTHOUSE_TEST_REPORT
 * names, when the file ends. The results so far survive a jest process that is killed.
 */
import type { Test, TestResult } from '@jest/reporters';
import { appendFileSync } from 'node:fs';
import type { FileReport } from '../lib/run-jest.ts';

export default class FileReporter {
  #startedAt = new Map<string, number>();

  onTestFileStart({ path }: Test): void {
    this.#startedAt.set(path, performance.now());
  }

  onTestFileResult({ path }: Test, result: TestResult): void {
    const reportFile = process.env.PILOTHOUSE_TEST_REPORT;
    if (!reportFile) return;
    const report: FileReport = {
      file: path,
      passed: result.numPassingTests,
      failed: result.numFailingTests + Number(Boolean(result.testExecError)),
      skipped: result.numPendingTests + result.numTodoTests,
      // With the time in which the file was loaded, which jest-light-runner does not count.
      seconds: (performance.now() - (this.#startedAt.get(path) ?? performance.now())) / 1000,
      error:
        result.testExecError?.message ??
        result.testResults.find(({ status }) => status === 'failed')?.failureMessages[0] ??
        null,
    };
    appendFileSync(reportFile, `${JSON.stringify(report)}\n`);
  }
}
