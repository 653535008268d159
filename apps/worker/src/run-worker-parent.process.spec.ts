import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { watchParent } from './run-worker.ts';

/** A process that prints a line when its parent has exited. */
function child() {
  const script = `
    import { watchParent } from ${JSON.stringify(join(import.meta.dirname, 'run-worker.ts'))};
    const alive = setInterval(() => {}, 1000);
    watchParent(true, process.stdin, () => { console.log('gone'); clearInterval(alive); });
    console.log('started');`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('the exit of the parent is detected, and its output is ignored', async () => {
  const watcher = child();
  await once(watcher.stdout, 'data');
  watcher.stdin.write('anything');
  watcher.stdin.end();
  const [output] = (await once(watcher.stdout, 'data')) as [Buffer];
  expect(String(output)).toBe('gone\n');
  const [code] = await once(watcher, 'exit');
  expect(code).toBe(0);
});

test('watches nothing when it is disabled', async () => {
  const stdin = new PassThrough();
  let exitCount = 0;
  watchParent(false, stdin, () => (exitCount += 1));
  stdin.end();
  expect(stdin.listenerCount('end')).toBe(0);
  stdin.resume();
  await once(stdin, 'close');
  expect(exitCount).toBe(0);
});

test('an earlier or repeated exit is reported once', async () => {
  const stdin = new PassThrough();
  stdin.destroy();
  await once(stdin, 'close');
  let exitCount = 0;
  watchParent(true, stdin, () => (exitCount += 1));
  stdin.emit('close');
  await new Promise(setImmediate);
  expect(exitCount).toBe(1);
});

test('a stopped watcher reports nothing and keeps nothing open', async () => {
  const stdin = new PassThrough();
  let exitCount = 0;
  const end = watchParent(true, stdin, () => (exitCount += 1));
  end();
  await once(stdin, 'close');
  expect(exitCount).toBe(0);
});
