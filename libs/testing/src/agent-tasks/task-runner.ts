import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import { call, type ParsedPrompt } from './parsed-prompt.ts';
import { SEEDS, type Task, tasksOf } from './task-catalogue.ts';
import { policyOf } from './agent-task.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { taskPage } from './task-page.ts';

/** Maximum turns and seconds of one task. */
const MAX_TURNS = 15;
const MAX_TASK_SECONDS = 40;

/** Converts tasks to the steps of one run. Each step opens its page, and a failed one does not end the run. */
export const taskSteps = (tasks: readonly Task[], url: string) =>
  tasks.flatMap(({ path, goal }, index) => [
    { action: 'navigate' as const, url: url + path },
    {
      action: 'try' as const,
      steps: [{ id: `task_${index}`, action: 'goal' as const, goal, maxTurns: MAX_TURNS, timeout: MAX_TASK_SECONDS }],
      catch: [{ action: 'set' as const, vars: { missed: true } }],
    },
  ]);

/** Policy for all tasks of a run. The page address in the prompt identifies the task. */
export function policiesOf(tasks: readonly Task[]): (prompt: ParsedPrompt) => ModelCall[] {
  const policies = new Map(tasks.map((task) => [task.goal, policyOf(task)]));
  if (policies.size < tasks.length) throw new Error('Two tasks of a seed have the same goal');
  return (prompt) => {
    const goal = /^Goal: (.*)$/m.exec(prompt.text)?.[1] ?? '';
    const policy = policies.get(goal);
    if (!policy) throw new Error(`There is no task ${goal}`);
    try {
      return policy(prompt);
    } catch (error) {
      return [call('fail', { text: String(error).slice(0, 500) })];
    }
  };
}

/**
 * Returns the tasks of a run whose step was not executed.
 * @param acted ids of its executed steps
 */
export const missedTasks = (tasks: readonly Task[], acted: ReadonlySet<unknown>): Task[] =>
  tasks.filter((_, index) => !acted.has(`task_${index}`));

/** Serves the pages of all tasks, for all seeds. */
export async function startTasks(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const pages = new Map(
    Array.from({ length: SEEDS }, (_, seed) => tasksOf(seed).tasks)
      .flat()
      .map(({ path, body }) => [path, taskPage(body)]),
  );
  const server = createServer(({ url = '' }, response) => {
    const page = pages.get(url);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
