import { unwrapData } from '@pilothouse/client';
import {
  answerQuestionArgumentsSchema,
  getRunArgumentsSchema,
  runArgumentsSchema,
  runWorkflowArgumentsSchema,
  startGoalArgumentsSchema,
  waitForRunArgumentsSchema,
} from '@pilothouse/contract/mcp/mcp-tools.schema';
import { valueSchema } from '@pilothouse/contract/workflow/value.schema';
import { startRun } from './run-start.ts';
import { readRun, waitForRun } from './run-wait.ts';
import { defineTool, invalidArguments, type McpTool } from './tool.ts';
import { runResult } from './tool-results.ts';
import { startWorkflow } from './workflow-start.ts';

const WAITS =
  'Waits for the end of the run, at most `waitSeconds`. A run that asks a question or takes longer is returned as it is; it continues.';

/** Tools that start, read, answer and cancel runs. */
export const runTools: readonly McpTool[] = [
  defineTool({
    name: 'run_workflow',
    title: 'Run a workflow',
    description: `Runs a workflow of the project on the fleet. ${WAITS}`,
    isReadOnly: false,
    schema: runWorkflowArgumentsSchema,
    call: ({ workflow, version, inputs, ...settings }, { client, signal }) =>
      startWorkflow(client, { workflow, version, inputs, ...settings }, signal),
  }),
  defineTool({
    name: 'start_goal',
    title: 'Start a goal',
    description: `Lets an agent of the fleet reach a goal in a browser or on a desktop. ${WAITS}`,
    isReadOnly: false,
    schema: startGoalArgumentsSchema,
    async call({ idempotencyKey, waitSeconds, maxUsd, outputSchema, ...goal }, { client, signal }) {
      const answer = valueSchema.optional().safeParse(outputSchema);
      if (!answer.success) throw invalidArguments(answer.error, ['outputSchema']);
      const body = {
        ...goal,
        ...(answer.data && { outputSchema: answer.data }),
        ...(maxUsd !== undefined && { budget: { usd: maxUsd } }),
      };
      const run = await startRun(
        (header) => client.api.POST('/v1/runs', { params: { header }, body, signal }),
        idempotencyKey,
      );
      return { run, waitSeconds };
    },
  }),
  defineTool({
    name: 'get_run',
    title: 'Read a run',
    description:
      'Returns the status, output, error and open question of a run, and on request the result of each step.',
    isReadOnly: true,
    schema: getRunArgumentsSchema,
    async call({ run, withSteps }, { client, signal }) {
      const view = await readRun(client, run, { signal });
      if (!withSteps) return runResult(view);
      const { items } = await unwrapData(client.api.GET('/v1/runs/{run}/steps', { params: { path: { run } }, signal }));
      return runResult(view, { facts: { stepResults: items } });
    },
  }),
  defineTool({
    name: 'wait_for_run',
    title: 'Wait for a run',
    description:
      'Waits until a run has ended or asks a question, at most `waitSeconds`. Call it again if the run continues.',
    isReadOnly: true,
    schema: waitForRunArgumentsSchema,
    call: async ({ run, waitSeconds }, context) => runResult(await waitForRun(run, waitSeconds, context)),
  }),
  defineTool({
    name: 'answer_question',
    title: 'Answer the question of a run',
    description:
      'Answers the open question of a waiting run. Ask a person before you approve a step that pays, sends, publishes or deletes. Then waits like wait_for_run.',
    isReadOnly: false,
    schema: answerQuestionArgumentsSchema,
    async call({ run, waitSeconds, ...answer }, context) {
      const { client, signal } = context;
      await client.api.POST('/v1/runs/{run}/answer', { params: { path: { run } }, body: answer, signal });
      return runResult(await waitForRun(run, waitSeconds, context));
    },
  }),
  defineTool({
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Cancels a run. A running one ends as soon as its worker receives the request: see its status.',
    isReadOnly: false,
    schema: runArgumentsSchema,
    async call({ run }, { client, signal }) {
      return runResult(
        await unwrapData(client.api.POST('/v1/runs/{run}/cancel', { params: { path: { run } }, signal })),
      );
    },
  }),
];
