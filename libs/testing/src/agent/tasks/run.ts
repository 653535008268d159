import type { ModelCall } from '@pilothouse/contract';
import { call, type ParsedPrompt } from '../prompt.ts';
import type { Task } from './deck.ts';
import { policyOf } from './task.ts';

/** Most turns of one task, and seconds. */
const MAX_TURNS = 15;
const MOST_SECONDS = 40;

/** The tasks as the steps of one run: each begins on its page, and one that fails does not end it. */
export const taskSteps = (tasks: readonly Task[], url: string) =>
  tasks.flatMap(({ path, goal }, at) => [
    { action: 'navigate' as const, url: url + path },
    {
      action: 'try' as const,
      steps: [{ id: `task_${at}`, action: 'goal' as const, goal, maxSteps: MAX_TURNS, timeout: MOST_SECONDS }],
      catch: [{ action: 'set' as const, vars: { missed: true } }],
    },
  ]);

/** Answers for all tasks of a run; which of them it is about stands in the prompt, as the address of the page. */
export function policiesOf(tasks: readonly Task[]): (seen: ParsedPrompt) => ModelCall[] {
  const policies = new Map(tasks.map((task) => [task.goal, policyOf(task)]));
  if (policies.size < tasks.length) throw new Error('Two tasks of a seed have the same goal');
  return (seen) => {
    const goal = /^Goal: (.*)$/m.exec(seen.text)?.[1] ?? '';
    const policy = policies.get(goal);
    if (!policy) throw new Error(`There is no task ${goal}`);
    try {
      return policy(seen);
    } catch (thrown) {
      return [call('fail', { text: String(thrown).slice(0, 500) })];
    }
  };
}

/** Which tasks of a run were reached. @param acted ids of its steps that were carried out */
export const missedTasks = (tasks: readonly Task[], acted: ReadonlySet<unknown>): Task[] =>
  tasks.filter((_, at) => !acted.has(`task_${at}`));
