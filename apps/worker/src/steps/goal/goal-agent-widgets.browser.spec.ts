import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { modelAnswer, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { SEEDS, taskKinds, tasksOf } from '@pilothouse/testing/agent-tasks/task-catalogue';
import {
  policiesOf,
  startTasks,
  stepValues,
  taskEnds,
  taskSteps,
  type TaskEnd,
} from '@pilothouse/testing/agent-tasks/task-runner';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { until } from '@pilothouse/testing/test-helpers';
import { startWorker } from '../../testing/test-worker.fixture.ts';
import type { Worker } from '../../worker.ts';

/*
 * Small tasks on many kinds of widgets, generated from several seeds. The prompt and the offered actions have to suffice. One run per seed
 * does all tasks in sequence. The runs share a worker and its browser.
 */

/** Milliseconds for all runs, on a shared machine. */
const ALL_MS = 540_000;

let pages: Awaited<ReturnType<typeof startTasks>>;
let host: BrowserHost;
let gateway: ScriptedGateway;
let root: string;
let worker: Worker;
beforeAll(async () => {
  [pages, gateway] = await Promise.all([startTasks(), ScriptedGateway.start()]);
  gateway.script.slots = SEEDS;
  root = await mkdtemp(join(tmpdir(), 'pilothouse-widgets-spec-'));
  host = new BrowserHost(headlessShellOptions());
  worker = await startWorker(root, { url: gateway.url, surfaceHost: host }, SEEDS);
  await gateway.until(() => gateway.all('ready').length > 0);
}, 30_000);
afterAll(async () => {
  worker.abort('the spec is over');
  await worker.completion.catch(() => undefined);
  await host.close();
  await gateway.close();
  await pages.close();
  await rm(root, { recursive: true });
});

test(
  'completes at least 95 % of the tasks on all page variants',
  async () => {
    const policies = new Map<string, ScriptedPolicy>();
    gateway.model = ({ run, request }) => modelAnswer(policies.get(run)?.(ParsedPrompt.of(request)) ?? []);
    const runs = Array.from({ length: SEEDS }, (_, seed) => {
      const { tasks, viewport } = tasksOf(seed);
      const run = buildAssignment({ browser: { viewport }, steps: taskSteps(tasks, pages.url) });
      policies.set(run.run, policiesOf(tasks));
      gateway.assign(run);
      return { seed, tasks, run };
    });
    // No person answers, so a question fails the task.
    gateway.intercept = (message) => {
      if (message.type === 'append' && message.question) {
        const { run, epoch, question } = message;
        const { step, questionNumber: ask } = question;
        const answer = {
          step,
          ...(ask !== undefined && { questionNumber: ask }),
          answeredBy: 'system',
          choice: 'fail' as const,
        };
        setImmediate(() => gateway.broadcast({ type: 'question.answered', run, epoch, answer }));
      }
      return false;
    };
    await until('all runs ended', () => runs.every(({ run }) => gateway.log.outcome(run)), ALL_MS);
    const endsOf = () =>
      runs.flatMap(({ seed, tasks, run }) =>
        taskEnds(tasks, stepValues(gateway.log.of(run)), pages.effects).map((end, index) => ({
          ...{ end, name: `${tasks[index]?.name} (seed ${seed})` },
        })),
      );
    const namesOf = (wanted: TaskEnd) => endsOf().flatMap(({ end, name }) => (end === wanted ? [name] : []));
    // The report of the last page may still be on its way.
    await until('every completed task has its effect', () => namesOf('false success').length === 0).catch(
      () => undefined,
    );
    expect(namesOf('false success')).toEqual([]);
    for (const { run } of runs) expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(taskKinds.length).toBeGreaterThanOrEqual(30);
    // Lists the names of failed tasks if there are too many.
    expect(namesOf('missed').slice(Math.floor(taskKinds.length * SEEDS * 0.05))).toEqual([]);
  },
  ALL_MS + 10_000,
);
