import { choiceTasks } from './choice-tasks.ts';
import { SeededRandom } from './task-random.ts';
import { fieldTasks } from './field-tasks.ts';
import { overlayTasks } from './overlay-tasks.ts';
import { structureTasks } from './structure-tasks.ts';
import type { GeneratedTask, TaskKind } from './agent-task.ts';

/** Small tasks on many kinds of widgets: what a prompt says of a page, and the actions that are offered, have to suffice for them. */
export const taskKinds: readonly TaskKind[] = [...fieldTasks, ...choiceTasks, ...overlayTasks, ...structureTasks];

/** What a seed stands for besides what is on the page: how large the window is. */
const viewports = [
  { width: 1280, height: 800 },
  { width: 1024, height: 640 },
  { width: 800, height: 600 },
  { width: 1440, height: 900 },
  { width: 420, height: 860 },
] as const;

export const SEEDS = viewports.length;

/** One task as a seed draws it. */
export interface Task extends GeneratedTask {
  readonly name: string;
  /** Of its page. */
  readonly path: string;
}

/** All tasks as one seed draws them, and the window they are done in. @param seed from 0 to `SEEDS` */
export function tasksOf(seed: number): { tasks: Task[]; viewport: { width: number; height: number } } {
  const tasks = taskKinds.map((kind, at) => ({
    ...kind.draw(new SeededRandom(seed * 1000 + at)),
    name: kind.name,
    path: `/tasks/${seed}/${at}`,
  }));
  return { tasks, viewport: viewports[seed % SEEDS] ?? viewports[0] };
}
