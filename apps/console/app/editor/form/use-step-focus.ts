import { keyOf, pathOfRunStep, type NamedStep } from '../../workflow-document/yaml-path.ts';
import { useCallback, useEffect, useRef, type KeyboardEvent } from 'react';

/**
 * Selects the step of the URL once: by its path in a run (`#at=orders/2`), or by its path in the file (`#/steps/2`). If
 * the path does not exist, the closest parent step is selected.
 */
export function useLinkedStep(steps: readonly (NamedStep & { key: string })[], select: (key: string) => void): void {
  const isApplied = useRef(false);
  useEffect(() => {
    if (isApplied.current || steps.length === 0) return;
    isApplied.current = true;
    const hash = decodeURIComponent(location.hash.slice(1));
    const linked = hash.startsWith('at=') ? keyOf(pathOfRunStep(hash.slice(3), steps)) : hash;
    const step = steps.findLast(({ key }) => linked === key || linked.startsWith(`${key}/`));
    if (step) select(step.key);
  }, [steps, select]);
}

/**
 * Moves the focus between the form of a step and its node in the graph.
 * @param step key of the selected step
 * @returns `focusForm` focuses the first field of the next rendered form; `onFormKey` returns to the node on Escape
 */
export function useFormFocus(step: string | undefined) {
  const formRef = useRef<HTMLDivElement>(null);
  const isPending = useRef(false);
  const focusForm = useCallback(() => void (isPending.current = true), []);
  useEffect(() => {
    if (!isPending.current || step === undefined) return;
    isPending.current = false;
    const form = formRef.current;
    const field = form?.querySelector<HTMLElement>('input:not([type=hidden]), select, textarea');
    (field ?? form?.querySelector<HTMLElement>('button'))?.focus();
  });
  const onFormKey = useCallback(
    (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || step === undefined) return;
      document.querySelector<HTMLElement>(`[data-step="${CSS.escape(step)}"]`)?.focus();
    },
    [step],
  );
  return { formRef, focusForm, onFormKey };
}
