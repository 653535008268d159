import { execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';

test.each<[string, () => unknown]>([
  ['spawn', () => spawn('true')],
  ['execFile', () => execFile('true')],
  ['fork', () => fork('none.js')],
  ['spawnSync', () => spawnSync('true')],
  ['execFileSync', () => execFileSync('true')],
])('a unit test cannot start a process with %s', (_, start) => {
  expect(start).toThrow('A unit test may not start a process. Rename the file to name.process.spec.ts');
});

test('a unit test can neither connect nor listen', async () => {
  expect(() => connect(1, '127.0.0.1')).toThrow('A unit test may not open a connection');
  expect(() => createServer().listen(0)).toThrow('A unit test may not open a port');
  await expect(fetch('http://127.0.0.1:1')).rejects.toThrow();
});
