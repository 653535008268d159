import { identifyProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writeJson } from '../installation/json-file.ts';
import { stopOrphans, Lock, runningRecord, type RunRecord } from './state-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'pilothouse-record-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = join(dir, 'up.json');
const deadProcess = () => Promise.reject(new Error('nothing was left'));
const dead: ProcessIdentity = { pid: process.pid, born: 'before this one' };
const record = (fields: Partial<RunRecord>): RunRecord => ({
  supervisor: dead,
  startedAt: new Date(0).toISOString(),
  ready: true,
  urls: {},
  ports: {},
  services: {},
  ...fields,
});

test('of several concurrent attempts, one gets the lock', async () => {
  const locks = await Promise.all(Array.from({ length: 8 }, () => Lock.acquire(file, deadProcess)));
  const acquired = locks.filter((lock) => lock instanceof Lock);
  expect(acquired).toHaveLength(1);
  expect(runningRecord(file)?.supervisor).toEqual(identifyProcess(process.pid));
  acquired[0]?.release();
  expect(existsSync(file)).toBe(false);
});

test('the lock of a dead process is acquired, and its record is passed on', async () => {
  writeJson(file, record({ ports: { api: 7100 } }));
  expect(runningRecord(file)).toBeUndefined();
  const staleRecords: RunRecord[] = [];
  const lock = await Lock.acquire(file, async (record) => void staleRecords.push(record));
  expect(staleRecords).toMatchObject([{ ports: { api: 7100 } }]);
  if (!(lock instanceof Lock)) throw new Error('not acquired');
  lock.record.ready = true;
  lock.save();
  expect(readJson<RunRecord>(file)).toEqual(lock.record);
  lock.release();
});

test('an incomplete record does not prevent a start', async () => {
  writeFileSync(file, '{"supervisor": {"pi');
  const lock = await Lock.acquire(file, async () => undefined);
  expect(lock).toBeInstanceOf(Lock);
  (lock as Lock).release();
});

test('only the very processes of the record are ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  const identity = identifyProcess(child.pid ?? 0) as ProcessIdentity;
  expect(await stopOrphans(record({ services: { API: { ...identity, born: 'another' } } }))).toEqual([]);
  const exit = once(child, 'exit');
  expect(await stopOrphans(record({ services: { API: identity, fleet: dead } }))).toEqual(['API']);
  expect(await exit).toEqual([null, 'SIGTERM']);
});
