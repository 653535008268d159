import { useEffect, useState } from 'react';
import type { Problem } from '../workflows/workflow-yaml.server.ts';
import type { LintResult } from './lint.route.ts';
import type { StepSentences } from './step-sentences.ts';

const DEBOUNCE_MS = 400;
const RESPONSE_TIMEOUT_MS = 10_000;

export interface Lint {
  problems: readonly Problem[];
  /** Sentences of the steps of the last validated text; null: not validated yet. */
  sentences: StepSentences | null;
}

interface LintOptions {
  /** The text that the editor opens with: it is validated without a delay. */
  initial: string;
  /** The stored text, or the example: its problems are not shown. */
  savedText: string;
  /** Problems that the API reported for a submitted text. */
  serverProblems: readonly Problem[] | undefined;
}

/** Validates a workflow while it is edited, and a draft that the editor opens with. */
export function useLint(text: string, { initial, savedText, serverProblems }: LintOptions): Lint {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [sentences, setSentences] = useState<StepSentences | null>(null);
  useEffect(() => {
    const isSaved = text === savedText;
    if (isSaved) setProblems([]);
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        const body = new URLSearchParams({ text });
        const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
        fetch('/workflows/lint', { method: 'POST', body, signal })
          .then(async (answer) => {
            if (!answer.ok) return;
            const result = (await answer.json()) as LintResult;
            setSentences(result.sentences);
            if (!isSaved) setProblems(result.problems);
          })
          // The API validates again on submit. The graph then shows the fields of the steps.
          .catch(() => setSentences((current) => current ?? {}));
      },
      text === initial ? 0 : DEBOUNCE_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, initial, savedText]);
  useEffect(() => {
    if (serverProblems) setProblems(serverProblems);
  }, [serverProblems]);
  return { problems, sentences };
}
