import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'pilothouse-log-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a log never grows beyond its cap, and the newest rotated files stay', () => {
  const file = join(dir, 'api.log');
  const log = new LogFile(file, { cap: 20, maxFiles: 2 });
  for (let n = 0; n < 10; n += 1) log.write(`line ${n}....`);
  log.close();
  expect(readdirSync(dir).sort()).toEqual(['api.log', 'api.log.1', 'api.log.2']);
  const lines = (name: string) => readFileSync(join(dir, name), 'utf8').trim().split('\n');
  expect([...lines('api.log.2'), ...lines('api.log.1'), ...lines('api.log')]).toEqual(
    [4, 5, 6, 7, 8, 9].map((n) => `line ${n}....`),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a reopened log is appended to', () => {
  const file = join(dir, 'again.log');
  for (const text of ['one', 'two']) {
    const log = new LogFile(file);
    log.write(text);
    log.close();
  }
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
});
