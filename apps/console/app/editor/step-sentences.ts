import type { OutlineStep } from '../workflow-document/workflow-outline.ts';

/** Title of a step, and a description of its action. */
export interface StepSentence {
  readonly title: string;
  readonly summary: string;
}

/** Sentences by the content of a step, so that a moved step keeps its sentence. */
export type StepSentences = Readonly<Record<string, StepSentence>>;

/** Key of a step in its sentences. */
export const sentenceKeyOf = (value: OutlineStep['value']): string => JSON.stringify(value);

/** Lines of a step in the graph. A step without a sentence, such as one that is being edited, shows its fields. */
export function graphTextOf(
  { value, name, detail }: Pick<OutlineStep, 'value' | 'name' | 'detail'>,
  sentences: StepSentences,
): { name: string; detail: string } {
  const sentence = sentences[sentenceKeyOf(value)];
  if (!sentence) return { name, detail };
  return { name: sentence.title, detail: sentence.summary === sentence.title ? '' : sentence.summary };
}
