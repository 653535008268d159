import { choiceTasks } from './choice-tasks.ts';
import { SeededRandom } from './task-random.ts';
import { fieldTasks } from './field-tasks.ts';
import { overlayTasks } from './overlay-tasks.ts';
import { structureTasks } from './structure-tasks.ts';
import type { GeneratedTask, TaskKind } from './agent-task.ts';

/**
 * Small tasks on many kinds of widgets. The page description in the prompt and the offered actions must suffice for
 * them.
 */
export const taskKinds: readonly TaskKind[] = [...fieldTasks, ...choiceTasks, ...overlayTasks, ...structureTasks];

/** Viewport sizes by seed. */
const viewports = [
  { width: 1280, height: 800 },
  { width: 1024, height: 640 },
  { width: 800, height: 600 },
  { width: 1440, height: 900 },
  { width: 420, height: 860 },
] as const;

export const SEEDS = viewports.length;

/** One task as generated from a seed. */
export interface Task extends GeneratedTask {
  readonly name: string;
  /** URL path of its page. */
  readonly path: string;
}

/**
 * Generates all tasks of one seed, and the viewport.
 * @param seed from 0 to `SEEDS`
 */
export function tasksOf(seed: number): { tasks: Task[]; viewport: { width: number; height: number } } {
  const tasks = taskKinds.map((kind, index) => ({
    ...kind.generate(new SeededRandom(seed * 1000 + index)),
    name: kind.name,
    path: `/tasks/${seed}/${index}`,
  }));
  return { tasks, viewport: viewports[seed % SEEDS] ?? viewports[0] };
}
