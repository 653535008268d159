import { stepSchema } from '@pilothouse/contract/workflow/step.schema';
import { MASK } from '@pilothouse/core/secret/secret-masker';
import { displayTitle } from '@pilothouse/core/workflow/display-title';
import { stepSummary, stepTitle } from '@pilothouse/core/workflow/step-titles';
import { allSteps, readOutline } from '../workflow-document/workflow-outline.ts';
import { sentenceKeyOf, type StepSentences } from './step-sentences.ts';

/**
 * Sentences of the steps of a workflow, as the run page shows them. Blocks and invalid steps have none. Templates stay readable, except
 * those of secrets.
 */
export function stepSentencesOf(text: string): StepSentences {
  const outline = readOutline(text, () => false);
  if (!outline) return {};
  const secrets = Object.entries(outline.inputs).flatMap(([name, input]) =>
    (input as { secret?: unknown } | null)?.secret === true ? [[name, MASK] as const] : [],
  );
  const options = { inputs: Object.fromEntries(secrets), keepsTemplates: true };
  return Object.fromEntries(
    allSteps(outline.steps).flatMap(({ value }) => {
      const { data: step } = stepSchema.safeParse(value);
      if (!step) return [];
      const [title, summary] = [stepTitle(step), stepSummary(step)].map((sentence) => displayTitle(sentence, options));
      return [[sentenceKeyOf(value), { title: title ?? '', summary: summary ?? '' }] as const];
    }),
  );
}
