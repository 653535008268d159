import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { advance, startProgram } from '@pilothouse/core/interpreter/interpreter';
import type { InterpreterState } from '@pilothouse/core/interpreter/interpreter-state';
import { inferFieldTypes } from '@pilothouse/core/workflow/step-types';
import {
  abreast,
  behind,
  BEHIND_STEP,
  definitionOf,
  letters,
  loops,
  stepsOf,
  type WorkflowPlan,
} from './random-workflow.ts';

/** Steps of a plan in execution order, with the text that each types, by the interpreter of the product. */
function walk(plan: WorkflowPlan): { action: string; text: string | undefined }[] {
  const definition = workflowDefinitionSchema.parse(definitionOf(plan));
  const inputs = { site: 'http://site' };
  const walked = [];
  let state: InterpreterState = startProgram(
    inferFieldTypes(definition),
    { id: 'r', epoch: 1 },
    { inputs, secrets: [] },
  );
  while (state.next.kind === 'step') {
    const { step } = state.next.position;
    const text = 'text' in step && typeof step.text === 'string' ? step.text : undefined;
    const rendered = text?.replace(/\{\{vars\.(\w+)\}\}/, (_, name: string) => String(state.scope.vars[name]));
    walked.push({ action: (step as WorkflowNode).action, text: rendered });
    state = advance(state, { status: 'completed', value: true });
  }
  return walked;
}

test.each([letters(3), loops(1), loops(3), abreast(2), behind('ask')])(
  '%#: each letter says by which step it is sent, and that step is known to send one',
  (plan) => {
    const walked = walk(plan);
    const facts = stepsOf(plan);
    expect(facts).toHaveLength(walked.length);
    const sendingSteps = facts.flatMap(({ trace }, number) => (trace === 'letter' ? [number] : []));
    for (const number of sendingSteps) {
      expect(walked[number]?.action).toBe('click');
      expect(walked[number - 1]?.text).toBe(`{{run.id}}/{{run.epoch}}/${number}`);
    }
    expect(sendingSteps).toHaveLength(walked.filter(({ text }) => text?.startsWith('{{run.id}}')).length);
  },
);

test('the step with its own policy is the last one, after a step that must not be repeated', () => {
  const { steps } = behind('fail');
  expect(steps.slice(BEHIND_STEP - 1)).toMatchObject([
    { idempotent: false },
    { onInterrupted: 'fail', trace: 'letter' },
  ]);
});
