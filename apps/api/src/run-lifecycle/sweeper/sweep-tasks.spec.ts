import { memoryLog } from '@pilothouse/testing/test-helpers';
import { SweeperTaskRunner, type SweeperTasks } from './sweep-tasks.ts';
import { sweeperTaskNames, type SweeperTaskName } from '../../common/sweeper-task-names.ts';

function aRunner() {
  const log = memoryLog();
  const failures: SweeperTaskName[] = [];
  return { log, failures, runner: new SweeperTaskRunner({ log, onFailure: (task) => failures.push(task) }) };
}

/** Tasks that record their names, with some replaced. */
function someTasks(executed: string[], replaced: Partial<SweeperTasks> = {}): SweeperTasks {
  const tasks = sweeperTaskNames.map((name) => [name, { isDue: true, run: async () => void executed.push(name) }]);
  return { ...(Object.fromEntries(tasks) as SweeperTasks), ...replaced };
}

const fails = { isDue: true, run: () => Promise.reject(new Error('the row is broken')) };

it('runs the tasks that are due, in their order', async () => {
  const executed: string[] = [];
  await aRunner().runner.run(someTasks(executed, { expired: { ...fails, isDue: false } }));
  expect(executed).toEqual(['leases', 'cancels', 'questions', 'control_sessions', 'workers', 'backlog']);
});

it.each(sweeperTaskNames)('runs every other task when %s fails, and counts the failure', async (failing) => {
  const { runner, failures } = aRunner();
  const executed: string[] = [];
  await runner.run(someTasks(executed, { [failing]: fails }));
  expect(executed).toEqual(sweeperTaskNames.filter((name) => name !== failing));
  expect(failures).toEqual([failing]);
});

it('runs the other tasks when one throws before it returns a promise, or the connection breaks', async () => {
  const { runner, failures } = aRunner();
  const executed: string[] = [];
  const throws = () => {
    throw new Error('Synchronous');
  };
  const broken = () => Promise.reject(Object.assign(new Error('Connection terminated'), { code: '57P01' }));
  await runner.run(
    someTasks(executed, { leases: { isDue: true, run: throws }, cancels: { isDue: true, run: broken } }),
  );
  expect(executed).toEqual(['expired', 'questions', 'control_sessions', 'workers', 'backlog']);
  expect(failures).toEqual(['leases', 'cancels']);
});

it('settles every item of a task, and counts those that fail', async () => {
  const { runner, failures } = aRunner();
  const settled: string[] = [];
  await runner.settleEach(
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

it('logs a repeated failure once as an error', async () => {
  const { runner, log } = aRunner();
  const settle = () => runner.settleEach('leases', ['a'], (item) => item, fails.run);
  await settle();
  await settle();
  await runner.run(someTasks([], { leases: fails }));
  expect(log.lines.map(({ level, facts }) => [level, facts])).toEqual([
    ['error', { task: 'leases', item: 'a', error: 'Error: the row is broken' }],
    ['debug', { task: 'leases', item: 'a', error: 'Error: the row is broken' }],
    ['error', { task: 'leases', error: 'Error: the row is broken' }],
  ]);
});
