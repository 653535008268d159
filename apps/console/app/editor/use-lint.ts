import { useEffect, useState } from 'react';
import type { Problem } from '../workflows/workflow-yaml.server.ts';

/** Milliseconds without a change after which a text is checked, and that the check may take. */
const quietMs = 400;
const answerMs = 10_000;

/** What is wrong with a workflow while somebody writes it. @param refused what the API said of what was sent */
export function useLint(
  text: string,
  initial: string,
  refused: readonly Problem[] | undefined,
): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    if (text === initial) return setProblems([]);
    const gone = new AbortController();
    const timer = setTimeout(() => {
      const body = new URLSearchParams({ text });
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(answerMs)]);
      fetch('/workflows/lint', { method: 'POST', body, signal })
        .then(async (answer) => answer.ok && setProblems((await answer.json()) as Problem[]))
        // The API checks what is sent, whether this was answered or not.
        .catch(() => undefined);
    }, quietMs);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text, initial]);
  useEffect(() => {
    if (refused) setProblems(refused);
  }, [refused]);
  return problems;
}
