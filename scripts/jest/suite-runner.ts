/**
 * The jest runner of all suites. Its jest workers run spec files in bare Node, without a VM context, so that a worker loads
 * a module once for all of its files. The file that took longest last time starts first.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { readTestTimes, root } from '../lib/test-times.ts';
import type { FileRequest, FileResponse } from './suite-worker.ts';

interface Test {
  readonly path: string;
}

type FileResult = Extract<FileResponse, { result: unknown }>['result'];

interface GlobalConfig {
  readonly maxWorkers: number;
  readonly testNamePattern?: string | null;
}

interface ProjectConfig {
  readonly setupFilesAfterEnv: readonly string[];
}

/** The full chaos set is one file of up to 25 minutes. */
const MAX_FILE_MINUTES = 30;

/** A worker above this size is replaced after its file. */
const MAX_WORKER_BYTES = 2 * 1024 ** 3;

/** Time in milliseconds since the epoch after which no file starts. */
const deadline = Number(process.env.PILOTHOUSE_TEST_DEADLINE || Infinity);

export default class SuiteRunner {
  readonly #globalConfig: GlobalConfig;

  constructor(globalConfig: GlobalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(
    tests: readonly (Test & { readonly context: { readonly config: ProjectConfig } })[],
    _watcher: unknown,
    onStart: (test: Test) => Promise<void>,
    onResult: (test: Test, result: FileResult) => Promise<void>,
    onFailure: (test: Test, error: { message: string; stack: string }) => Promise<void>,
  ): Promise<void> {
    const seconds = readTestTimes();
    const secondsOf = ({ path }: Test) => seconds[relative(root, path)] ?? Number.MAX_VALUE;
    const queue = tests.toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const runQueue = async (workerId: number) => {
      const worker = new SuiteWorker(workerId);
      for (let test = queue.shift(); test; test = queue.shift()) {
        try {
          if (Date.now() >= deadline) throw new Error('It did not run: the time limit of the run has passed');
          await onStart(test);
          const { setupFilesAfterEnv: setupFiles } = test.context.config;
          const namePattern = this.#globalConfig.testNamePattern ?? null;
          await onResult(test, await worker.run({ path: test.path, setupFiles, namePattern }));
        } catch (error) {
          const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
          await onFailure(test, { message, stack });
        }
      }
      worker.stop();
    };
    const workerCount = Math.min(this.#globalConfig.maxWorkers, Math.max(tests.length, 1), 4 * cpus().length);
    await Promise.all(Array.from({ length: workerCount }, (_, index) => runQueue(index + 1)));
  }
}

/** A jest worker process, started when it gets a file. It runs files of one suite. */
class SuiteWorker {
  readonly #id: number;
  #child: ChildProcess | undefined;
  #setupFiles = '';

  constructor(id: number) {
    this.#id = id;
  }

  /** @throws Error if the file cannot be loaded, takes too long, or ends the process */
  async run(request: FileRequest): Promise<FileResult> {
    if (this.#setupFiles !== request.setupFiles.join()) this.stop();
    this.#setupFiles = request.setupFiles.join();
    const child = (this.#child ??= fork(join(import.meta.dirname, 'suite-worker.ts'), {
      env: { ...process.env, JEST_WORKER_ID: String(this.#id) },
      serialization: 'advanced',
    }));
    const { promise, resolve, reject } = Promise.withResolvers<FileResponse>();
    const onExit = (code: number | null, signal: string | null) => {
      this.#child = undefined;
      reject(new Error(`The jest worker ended before the file did (${signal ?? `exit code ${code}`})`));
    };
    const timer = setTimeout(() => {
      reject(new Error(`The file did not end within ${MAX_FILE_MINUTES} minutes`));
      child.kill('SIGKILL');
    }, MAX_FILE_MINUTES * 60_000);
    child.once('exit', onExit).once('message', resolve);
    try {
      child.send(request);
      const response = await promise;
      if ('error' in response) throw Object.assign(new Error(response.error.message), response.error);
      if (response.rssBytes > MAX_WORKER_BYTES) this.stop();
      return response.result;
    } finally {
      clearTimeout(timer);
      child.off('exit', onExit).off('message', resolve);
    }
  }

  /** Ends the process, also if a spec file has left something open. */
  stop(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
