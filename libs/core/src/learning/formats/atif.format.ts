import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { plannedActions } from './example-actions.ts';
import { reject, type ImageFile } from './conversation.ts';
import { shortPrompt } from './example-prompt.ts';
import type { ExampleWithImage, TraceFormat } from './format-types.ts';
import type { PlannedAction } from '../../agent/planned-action.ts';

/* Trajectories of ATIF 1.8: one line per trace. Each turn has a step of the user with the page, and a step of the agent. */

const AGENT = { name: 'pilothouse', version: '1' } as const;

/** A step without its number. */
type Step = Readonly<Record<string, Json>>;

function pageStep(example: DatasetExample, image: ImageFile | null): Step {
  const { input, at: timestamp } = example;
  const text = { type: 'text', text: (input ?? shortPrompt(example)).text };
  const part = image && { type: 'image', source: { media_type: 'image/jpeg', path: image.path } };
  return { timestamp, source: 'user', message: part ? [part, text] : [text] };
}

const argumentsOf = (planned: PlannedAction): Record<string, Json> => {
  const { kind: _, ...fields } = planned;
  const { action: name, ...rest } = planned.kind === 'act' ? planned.action : { action: undefined, ...fields };
  return (name === undefined ? fields : rest) as unknown as Record<string, Json>;
};

function agentStep(example: DatasetExample): Step {
  const {
    thought,
    actions,
    correction,
    model,
    at: timestamp,
    ordinal,
    outcome,
    quality,
    reason,
    labelSource,
    turnSource,
  } = example;
  const calls = plannedActions(correction?.actions ?? actions, example).map((planned, index) => ({
    tool_call_id: `${ordinal}.${index + 1}`,
    function_name: planned.kind === 'act' ? planned.action.action : planned.kind,
    arguments: argumentsOf(planned),
  }));
  const last = calls.at(-1);
  const hasModel = model !== null && turnSource === 'model';
  return {
    timestamp,
    source: 'agent',
    message: correction?.thought ?? thought,
    ...(hasModel ? { model_name: model } : { llm_call_count: 0 }),
    ...(calls.length > 0 && { tool_calls: calls }),
    // The result of corrected actions is unknown.
    ...(last && !correction && { observation: { results: [{ source_call_id: last.tool_call_id, content: outcome }] } }),
    extra: {
      quality,
      reason,
      label_source: labelSource,
      is_corrected: correction !== null,
      decided_by: turnSource,
    },
  };
}

export const atifFormat: TraceFormat = {
  unit: 'trace',
  objectives: ['sft'],
  embedsImages: () => false,
  format(examples: readonly ExampleWithImage[]) {
    const [first] = examples;
    if (!first) return reject('The trace has no steps');
    const { example } = first;
    const steps = examples.flatMap((item) => [pageStep(item.example, item.image), agentStep(item.example)]);
    return {
      kind: 'lines',
      lines: [
        {
          schema_version: 'ATIF-v1.8',
          session_id: example.run,
          agent: AGENT,
          steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
          extra: { workflow: example.workflow, surface: example.surface, split: example.split, goal: example.goal },
        },
      ],
      images: examples.filter(({ image }) => image).length,
    };
  },
};
