import { useEffect, useState } from 'react';
import type { Problem } from '../workflows/workflow-yaml.server.ts';

const DEBOUNCE_MS = 400;
const RESPONSE_TIMEOUT_MS = 10_000;

/** Validates a workflow while it is edited. @param serverProblems problems that the API reported for a submitted text */
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
        // The API validates again on submit.
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
