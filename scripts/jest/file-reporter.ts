/** A jest reporter that writes the counts of each spec file, as JSON, to the file that PILOTHOUSE_TEST_REPORT names. */
import type { AggregatedResult } from '@jest/reporters';
import { writeFileSync } from 'node:fs';
import type { FileReport } from '../lib/run-jest.ts';

export default class FileReporter {
  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const file = process.env.PILOTHOUSE_TEST_REPORT;
    if (!file) return;
    const reports = testResults.map((result): FileReport => ({
      file: result.testFilePath,
      passed: result.numPassingTests,
      failed: result.numFailingTests + Number(result.testExecError !== undefined),
      skipped: result.numPendingTests + result.numTodoTests,
      seconds: (result.perfStats.end - result.perfStats.start) / 1000,
      error:
        result.testExecError?.message ??
        result.testResults.find(({ status }) => status === 'failed')?.failureMessages[0] ??
        null,
    }));
    writeFileSync(file, JSON.stringify(reports));
  }
}
