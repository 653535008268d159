import { useEffect, useState } from 'react';
import type { Problem } from '../workflows/workflow-yaml.server.ts';

/** Milliseconds without a change after which a text is checked, and that the check may take. */
const DEBOUNCE_MS = 400;
const RESPONSE_TIMEOUT_MS = 10_000;

/** What is wrong with a workflow while somebody writes it. @param refused what the API said of what was sent */
export function useLint(
  text: string,
  initial: string,
  serverProblems: readonly Problem[] | undefined,
): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    if (text === initial) return setProblems([]);
    const controller = new AbortController();
    const timer = setTimeout(() => {
      const body = new URLSearchParams({ text });
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
      fetch('/workflows/lint', { method: 'POST', body, signal })
        .then(async (answer) => answer.ok && setProblems((await answer.json()) as Problem[]))
        // The API checks what is sent, whether this was answered or not.
        .catch(() => undefined);
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, initial]);
  useEffect(() => {
    if (serverProblems) setProblems(serverProblems);
  }, [serverProblems]);
  return problems;
}
