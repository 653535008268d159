import { useEffect, type RefObject } from 'react';

/** Focuses the first invalid control of a form after each answer. */
export function useInvalidFocus(form: RefObject<HTMLFormElement | null>, answer: unknown): void {
  useEffect(() => {
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    invalid?.scrollIntoView({ block: 'center' });
    invalid?.focus({ preventScroll: true });
  }, [form, answer]);
}
