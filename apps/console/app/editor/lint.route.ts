import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { problemsOf, type Problem } from '../workflows/workflow-yaml.server.ts';
import { stepSentencesOf } from './step-sentences.server.ts';
import type { StepSentences } from './step-sentences.ts';

/** Problems of a workflow, and the sentences of its steps. */
export interface LintResult {
  problems: Problem[];
  sentences: StepSentences;
}

/** Validates a workflow while it is edited. Calls no API and stores nothing. */
export async function action({ request }: ActionFunctionArgs) {
  const text = textOf(await request.formData(), 'text');
  return Response.json({ problems: problemsOf(text), sentences: stepSentencesOf(text) } satisfies LintResult);
}
