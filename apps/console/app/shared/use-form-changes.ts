import { useCallback, useEffect, useRef, type RefObject } from 'react';

const valuesOf = (form: HTMLFormElement) =>
  JSON.stringify([...new FormData(form)].map(([name, value]) => [name, value instanceof File ? value.name : value]));

/**
 * Compares the values of a form with the stored ones.
 * @param savedVersion changes whenever the form was saved
 * @returns function that is true if a value differs
 */
export function useFormChanges(form: RefObject<HTMLFormElement | null>, savedVersion: unknown): () => boolean {
  const storedValues = useRef<string>(undefined);
  useEffect(() => {
    if (form.current) storedValues.current = valuesOf(form.current);
  }, [form, savedVersion]);
  return useCallback(
    () =>
      form.current !== null && storedValues.current !== undefined && valuesOf(form.current) !== storedValues.current,
    [form],
  );
}
