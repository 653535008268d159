import { memoryLog } from '@pilothouse/testing/test-helpers';
import { TaskIsolation } from './task-isolation.ts';

function anIsolation(level?: 'error') {
  const log = memoryLog();
  const failures: string[] = [];
  const isolation = new TaskIsolation<string>({
    log,
    ...(level && { level }),
    onFailure: (task) => failures.push(task),
  });
  return { log, failures, isolation };
}

const fails = () => Promise.reject(new Error('the row is broken'));

it('reports a failure, and counts it', async () => {
  const { isolation, failures } = anIsolation();
  expect(await isolation.run('works', async () => undefined)).toBe(true);
  expect(await isolation.run('fails', fails)).toBe(false);
  expect(failures).toEqual(['fails']);
});

it('isolates a task that throws before it returns a promise', async () => {
  const { isolation, failures } = anIsolation();
  const throws = () => {
    throw new Error('Synchronous');
  };
  expect(await isolation.run('fails', throws)).toBe(false);
  expect(failures).toEqual(['fails']);
});

it('settles every item of a task, and counts those that fail', async () => {
  const { isolation, failures } = anIsolation();
  const settled: string[] = [];
  await isolation.settleEach(
    'leases',
    ['a', 'b', 'c'],
    (item) => item,
    async (item) => {
      if (item === 'b') throw new Error('the row is broken');
      settled.push(item);
    },
  );
  expect([settled, failures]).toEqual([['a', 'c'], ['leases']]);
});

it('logs a repeated failure once at its level, and that a task works again', async () => {
  const { isolation, log } = anIsolation('error');
  const settle = () => isolation.settleEach('leases', ['a'], (item) => item, fails);
  await settle();
  await settle();
  await isolation.run('leases', fails);
  await isolation.run('leases', async () => undefined);
  await isolation.run('leases', fails);
  const error = 'Error: the row is broken';
  expect(log.lines.map(({ level, facts }) => [level, facts])).toEqual([
    ['error', { task: 'leases', item: 'a', error }],
    ['debug', { task: 'leases', item: 'a', error }],
    ['error', { task: 'leases', error }],
    ['info', { task: 'leases' }],
    ['error', { task: 'leases', error }],
  ]);
});
