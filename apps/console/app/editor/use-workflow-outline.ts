import { useMemo, useState } from 'react';
import { readOutline, type Outline } from '../workflow-document/workflow-outline.ts';
import type { Problem } from '../workflows/workflow-yaml.server.ts';

/** The outline of a workflow text. While the text is not readable, the last outline is kept. */
export function useWorkflowOutline(
  text: string,
  isBlockAction: (action: string) => boolean,
): { outline: Outline | null; isReadable: boolean } {
  const current = useMemo(() => readOutline(text, isBlockAction), [text, isBlockAction]);
  const [last, setLast] = useState(current);
  if (current && current !== last) setLast(current);
  return { outline: current ?? last, isReadable: current !== null };
}

/** Groups problems by the innermost step that contains them. */
export function problemsByStep(
  problems: readonly Problem[],
  steps: readonly { key: string }[],
): ReadonlyMap<string, string[]> {
  const byStep = new Map<string, string[]>();
  for (const { pointer, detail } of problems) {
    const step = steps.findLast(({ key }) => pointer === key || pointer.startsWith(`${key}/`));
    if (step) byStep.set(step.key, [...(byStep.get(step.key) ?? []), detail]);
  }
  return byStep;
}
