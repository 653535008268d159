import type { TaskIsolation } from '@pilothouse/core/time/task-isolation';
import { sweeperTaskNames, type SweeperTaskName } from '../../common/sweeper-task-names.ts';

/** The work of each task, and whether it is due. */
export type SweeperTasks = Record<SweeperTaskName, { readonly isDue: boolean; run(): Promise<void> }>;

/** Runs due tasks one by one. One that fails does not stop the others. */
export async function runDueTasks(
  tasks: SweeperTasks,
  isolation: Pick<TaskIsolation<SweeperTaskName>, 'run'>,
): Promise<void> {
  for (const name of sweeperTaskNames) {
    const task = tasks[name];
    if (task.isDue) await isolation.run(name, () => task.run());
  }
}
