import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import { call, type ParsedPrompt } from './parsed-prompt.ts';
import { SEEDS, type Task, tasksOf } from './task-catalogue.ts';
import { policyOf } from './agent-task.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
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

/** End of a task. `false success`: its step is completed without the effect of the goal. */
export type TaskEnd = 'reached' | 'missed' | 'false success';

/**
 * Judges the tasks of a run by what their pages reported, and by the answer where a task changes nothing.
 * @param values values of the completed steps, by the id of the step
 * @param effects last event of each page
 */
export const taskEnds = (
  tasks: readonly Task[],
  values: ReadonlyMap<unknown, unknown>,
  effects: ReadonlyMap<string, string>,
): TaskEnd[] =>
  tasks.map(({ path, answer, successText }, index) => {
    const id = `task_${index}`;
    if (!values.has(id)) return 'missed';
    const hasEffect = answer === undefined ? effects.get(path) === successText : values.get(id) === answer;
    return hasEffect ? 'reached' : 'false success';
  });

/** Values of a run's completed steps, by step id. */
export const stepValues = (
  events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[],
): Map<unknown, unknown> =>
  new Map(events.flatMap(({ type, data }) => (type === 'step.completed' ? [[data['id'], data['value']]] : [])));

/** A server with the pages of all tasks, for all seeds. */
export interface TaskServer {
  readonly url: string;
  /** Text of the last event of each page since it was loaded, by its path. */
  readonly effects: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export async function startTasks(): Promise<TaskServer> {
  const pages = new Map(
    Array.from({ length: SEEDS }, (_, seed) => tasksOf(seed).tasks)
      .flat()
      .map(({ path, body }) => [path, taskPage(body)]),
  );
  const effects = new Map<string, string>();
  const times = new Map<string, number>();
  const server = createServer((request, response) => {
    const { url = '', method } = request;
    if (method === 'POST') {
      void text(request).then((body) => {
        const effect = JSON.parse(body) as { path: string; text: string; timeMs: number };
        if (effect.timeMs >= (times.get(effect.path) ?? 0)) effects.set(effect.path, effect.text);
        times.set(effect.path, Math.max(effect.timeMs, times.get(effect.path) ?? 0));
        response.writeHead(204).end();
      });
      return;
    }
    effects.delete(url);
    // A report of an earlier load that arrives later is older than this.
    times.set(url, Date.now());
    const page = pages.get(url);
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
