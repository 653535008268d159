import type { CallToolResult } from '@modelcontextprotocol/server';
import { unwrapData, type Client } from '@pilothouse/client';
import type { UpdateTaskParams } from '@pilothouse/contract/mcp/mcp-tools.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { giveAnswer, questionForm } from './run-question.ts';
import { needsAnswer, readRun } from './run-wait.ts';
import { runResult, stepText } from './tool-results.ts';

/** Identifier of the Tasks extension of protocol 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const POLL_INTERVAL_MS = 2_000;

function taskStatus(run: RunView): 'working' | 'input_required' | 'completed' | 'cancelled' {
  if (needsAnswer(run)) return 'input_required';
  if (run.status === 'cancelled') return 'cancelled';
  // A failed run is a result with `isError`: the status `failed` is for errors of the protocol.
  return isTerminal(run.status) ? 'completed' : 'working';
}

const taskOf = (run: RunView) => ({
  taskId: run.id,
  status: taskStatus(run),
  statusMessage: `${run.status}, ${stepText(run)}`,
  createdAt: run.createdAt,
  lastUpdatedAt: run.finishedAt ?? run.question?.askedAt ?? run.startedAt ?? run.createdAt,
  // Retention of the project removes a run, not a time to live.
  ttlMs: null,
  pollIntervalMs: POLL_INTERVAL_MS,
});

/** The result of a tool call that goes on as a task. The run is stored: its id is the id of the task. */
export const createTaskResult = (run: RunView): CallToolResult => ({
  content: [],
  resultType: 'task',
  ...taskOf(run),
});

/** Answers `tasks/get`. */
export async function readTask(client: Client, taskId: string, signal: AbortSignal) {
  const run = await readRun(client, taskId, { signal });
  const task = taskOf(run);
  if (task.status === 'completed')
    return { ...task, result: { ...runResult(run, { isWork: true }), resultType: 'complete' } };
  if (task.status !== 'input_required' || !run.question) return task;
  const { question } = run;
  const params = questionForm(question);
  return { ...task, inputRequests: { [question.key]: { method: 'elicitation/create', params } } };
}

/** Answers `tasks/update`: gives each response to the question of its key. */
export async function updateTask(
  client: Client,
  { taskId, inputResponses }: UpdateTaskParams,
  signal: AbortSignal,
): Promise<Record<string, never>> {
  const { question } = await readRun(client, taskId, { signal });
  // Keys that are not open are ignored, as the specification requires.
  if (question && question.key in inputResponses)
    await giveAnswer(client, taskId, question.key, inputResponses[question.key], signal);
  return {};
}

/** Answers `tasks/cancel`. The run ends as soon as its worker receives the request. */
export async function cancelTask(client: Client, taskId: string, signal: AbortSignal): Promise<Record<string, never>> {
  const run = await readRun(client, taskId, { signal });
  if (!isTerminal(run.status))
    await unwrapData(client.api.POST('/v1/runs/{run}/cancel', { params: { path: { run: taskId } }, signal }));
  return {};
}
