import { TaskIsolation } from '@pilothouse/core/time/task-isolation';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { sweeperTaskNames, type SweeperTaskName } from '../../common/sweeper-task-names.ts';
import { runDueTasks, type SweeperTasks } from './sweeper-tasks.ts';

/** Runs a sweep whose tasks record their names, with some replaced. */
async function sweep(replaced: Partial<SweeperTasks>) {
  const executed: string[] = [];
  const failures: SweeperTaskName[] = [];
  const isolation = new TaskIsolation<SweeperTaskName>({ log: memoryLog(), onFailure: (task) => failures.push(task) });
  const tasks = sweeperTaskNames.map((name) => [name, { isDue: true, run: async () => void executed.push(name) }]);
  await runDueTasks({ ...(Object.fromEntries(tasks) as SweeperTasks), ...replaced }, isolation);
  return { executed, failures };
}

const fails = { isDue: true, run: () => Promise.reject(new Error('the row is broken')) };

it('runs the tasks that are due, in their order', async () => {
  const { executed } = await sweep({ expired: { ...fails, isDue: false } });
  expect(executed).toEqual(['leases', 'cancels', 'questions', 'control_sessions', 'workers', 'backlog']);
});

it.each(sweeperTaskNames)('runs every other task when %s fails, and counts the failure', async (failing) => {
  const { executed, failures } = await sweep({ [failing]: fails });
  expect(executed).toEqual(sweeperTaskNames.filter((name) => name !== failing));
  expect(failures).toEqual([failing]);
});
