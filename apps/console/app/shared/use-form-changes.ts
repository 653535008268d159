import { useCallback, useEffect, useRef, type RefObject } from 'react';

const valuesOf = (form: HTMLFormElement) => JSON.stringify([...new FormData(form)]);

/**
 * Compares the values of a form with the stored ones.
 * @param saved changes whenever the form was saved
 * @returns whether a value differs
 */
export function useFormChanges(form: RefObject<HTMLFormElement | null>, saved: unknown): () => boolean {
  const stored = useRef<string>(undefined);
  useEffect(() => {
    if (form.current) stored.current = valuesOf(form.current);
  }, [form, saved]);
  return useCallback(
    () => form.current !== null && stored.current !== undefined && valuesOf(form.current) !== stored.current,
    [form],
  );
}
