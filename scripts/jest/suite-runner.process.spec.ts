import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileReport } from '../lib/run-jest.ts';

const root = join(import.meta.dirname, '../..');

/** Runs spec files, given as name → source, and returns their reports by name. */
function runSpecs(sources: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-runner-'));
  try {
    mkdirSync(join(folder, 'specs'));
    for (const [name, source] of Object.entries(sources))
      writeFileSync(join(folder, 'specs', `${name}.spec.ts`), source);
    writeFileSync(join(folder, 'limit.ts'), `globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = 400;`);
    const config = {
      rootDir: folder,
      runner: join(root, 'scripts/jest/suite-runner.ts'),
      reporters: [join(root, 'scripts/jest/file-reporter.ts')],
      setupFilesAfterEnv: [join(folder, 'limit.ts')],
      testRegex: '[.]spec[.]ts$',
    };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    const args = [
      ...['--import', join(root, 'scripts/jest/typescript-hooks.ts'), '--no-warnings'],
      ...[join(root, 'node_modules/jest/bin/jest.js'), '--config', join(folder, 'jest.config.json'), '--maxWorkers=2'],
    ];
    const report = join(folder, 'report.jsonl');
    const { status } = spawnSync(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, PILOTHOUSE_TEST_REPORT: report, ...env },
      timeout: 60_000,
    });
    const lines = readFileSync(report, 'utf8').trim().split('\n');
    const reports = lines.map((line) => JSON.parse(line) as FileReport);
    const nameOf = ({ file }: FileReport) => /([\w-]+)\.spec\.ts$/.exec(file)?.[1] ?? '';
    return { status, files: Object.fromEntries(reports.map((each) => [nameOf(each), each])) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const passing = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`passes-${name}`, "test('passes', () => expect(1).toBe(1));"]),
);

test('a file that ends its process, cannot be loaded or rejects without a handler fails, and the others run', () => {
  const { status, files } = runSpecs({
    ...passing,
    exits: "test('exits', () => process.exit(0)); test('other', () => {});",
    aborts: "test('aborts', () => process.abort());",
    kills: "test('kills', () => process.kill(process.pid, 'SIGKILL'));",
    throws: "throw new Error('no such server');",
    rejects: "test('rejects', async () => { Promise.reject(new Error('lost')); await 0; });",
  });
  expect(status).not.toBe(0);
  const failed = Object.entries(files).filter(([, report]) => report.failed > 0);
  expect(failed.map(([name]) => name).toSorted()).toEqual(['aborts', 'exits', 'kills', 'rejects', 'throws']);
  expect(Object.keys(files)).toHaveLength(11);
  expect(files['exits']?.error).toContain('The jest worker ended before the file did (exit code 0)');
  expect(files['kills']?.error).toContain('SIGKILL');
  expect(files['throws']?.error).toContain('no such server');
  expect(files['rejects']?.error).toContain('lost');
});

test('tests and hooks have a time limit, and no test runs after a failed hook', () => {
  const { files } = runSpecs({
    hangs: "test('hangs', () => new Promise(() => {})); test('next', () => {});",
    'own-limit': "test('takes longer', () => new Promise((resolve) => setTimeout(resolve, 600)), 5_000);",
    'file-limit':
      "jest.setTimeout(5_000); test('takes longer', () => new Promise((resolve) => setTimeout(resolve, 600)));",
    'suite-limit': "test('hangs', () => new Promise((resolve) => setTimeout(resolve, 5_000)));",
    hook: "let ran = false; beforeAll(() => { throw new Error('no server'); }); test('a', () => { ran = true; }); afterAll(() => { if (ran) throw new Error('a test ran'); });",
    handled:
      "test('handled later', async () => { const lost = Promise.reject(new Error('lost')); await new Promise((resolve) => setTimeout(resolve, 20)); await expect(lost).rejects.toThrow('lost'); });",
  });
  const counts = Object.fromEntries(
    Object.entries(files).map(([name, { passed, failed }]) => [name, [passed, failed]]),
  );
  expect(counts).toEqual({
    hangs: [1, 1],
    'own-limit': [1, 0],
    'file-limit': [1, 0],
    'suite-limit': [0, 1],
    hook: [0, 1],
    handled: [1, 0],
  });
  expect(files['hangs']?.error).toContain('Exceeded timeout of 400 ms');
  expect(files['hook']?.error).toContain('no server');
});

test('after the deadline of the run no file starts, and each one fails', () => {
  const { status, files } = runSpecs(passing, { PILOTHOUSE_TEST_DEADLINE: '1' });
  expect(status).not.toBe(0);
  const reports = Object.values(files);
  expect(reports.map(({ passed, failed }) => [passed, failed])).toEqual(reports.map(() => [0, 1]));
  expect(reports[0]?.error).toContain('the time limit of the run has passed');
});
