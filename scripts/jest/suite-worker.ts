/** A jest worker process: runs spec files with jest-circus, one after the other. See suite-runner.ts. */
import { jestExpect } from '@jest/expect';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import { pathToFileURL } from 'node:url';

/** Order of a jest worker: one spec file. */
export interface FileRequest {
  readonly path: string;
  /** Modules to import before the first file. */
  readonly setupFiles: readonly string[];
  /** A pattern of names of the tests to run; null: all. */
  readonly namePattern: string | null;
}

/** Answer of a jest worker. */
export type FileResponse =
  | {
      /** Result of the file in the form that jest expects of a runner. */
      readonly result: Readonly<Record<string, unknown>>;
      /** Resident memory of the worker. */
      readonly rssBytes: number;
    }
  /** The file could not be loaded. */
  | { readonly error: { readonly message: string; readonly stack: string } };

/** The time limit that jest-circus applies when the tests of a file start. */
const timeoutOption = Symbol.for('TEST_TIMEOUT_SYMBOL');
const scope = globalThis as unknown as Record<string | symbol, unknown>;

const mocker = new ModuleMocker(globalThis);
const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  /** Changes the time limit of tests and hooks of the file. */
  setTimeout: (ms: number) => (scope[timeoutOption] = ms),
};
const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus;
Object.assign(scope, { afterAll, afterEach, beforeAll, beforeEach, describe, it, test, expect: jestExpect, jest });

/** Errors that no test caught. They fail the file. */
const uncaughtErrors: unknown[] = [];
/** Rejected promises without a handler so far. */
const unhandledRejections = new Map<Promise<unknown>, unknown>();
process.on('uncaughtException', (error) => uncaughtErrors.push(error));
process.on('unhandledRejection', (error, promise: Promise<unknown>) => unhandledRejections.set(promise, error));
process.on('rejectionHandled', (promise) => unhandledRejections.delete(promise));

/** Time limit of the suite, which a setup file sets. */
let suiteTimeout: Promise<unknown> | undefined;

async function setUpSuite(files: readonly string[]): Promise<unknown> {
  await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  return scope[timeoutOption];
}

async function runFile({ path, setupFiles, namePattern }: FileRequest): Promise<Readonly<Record<string, unknown>>> {
  circus.resetState();
  scope[timeoutOption] = await (suiteTimeout ??= setUpSuite(setupFiles));
  if (namePattern !== null) circus.getState().testNamePattern = new RegExp(namePattern, 'i');
  jestExpect.setState({ testPath: path });
  const start = Date.now();
  await import(pathToFileURL(path).href);
  const { testResults, unhandledErrors } = await circus.run();
  // An unhandled rejection is reported after the microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  const fileErrors = [...unhandledErrors, ...[...uncaughtErrors, ...unhandledRejections.values()].map(stackOf)];
  uncaughtErrors.length = 0;
  unhandledRejections.clear();

  const tests = testResults.map(({ testPath, status, duration, errors }) => {
    const [, ...titles] = testPath;
    const failed = errors.length > 0;
    return {
      ancestorTitles: titles.slice(0, -1),
      title: titles.at(-1) ?? '',
      fullName: titles.join(' '),
      duration,
      failureMessages: errors,
      failureDetails: [],
      status: status === 'skip' ? 'pending' : status === 'todo' ? 'todo' : failed ? 'failed' : 'passed',
    };
  });
  const countOf = (status: string) => tests.filter((each) => each.status === status).length;
  const failures = tests.filter(({ status }) => status === 'failed');
  const texts = failures.map(({ fullName, failureMessages }) => `  ● ${fullName}\n\n${failureMessages.join('\n')}\n`);
  const end = Date.now();
  return {
    testFilePath: path,
    testResults: tests,
    numPassingTests: countOf('passed'),
    numFailingTests: failures.length,
    numPendingTests: countOf('pending'),
    numTodoTests: countOf('todo'),
    failureMessage: [...texts, ...fileErrors].join('\n') || null,
    testExecError: fileErrors.length > 0 ? { message: fileErrors.join('\n'), stack: fileErrors.join('\n') } : null,
    perfStats: { start, end, runtime: end - start, slow: false },
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    skipped: false,
    leaks: false,
    openHandles: [],
    console: null,
    coverage: undefined,
  };
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : `Thrown: ${String(error)}`;

process.on('message', async (request: FileRequest) => {
  const send = (response: FileResponse) => process.send?.(response);
  try {
    send({ result: await runFile(request), rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ error: { message, stack: stackOf(error) } });
  }
});
