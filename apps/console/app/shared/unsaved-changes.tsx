import { ConfirmDialog } from '@pilothouse/ui-kit';
import { useCallback, type ReactNode, useEffect, useRef, type RefObject } from 'react';
import { useBeforeUnload, useBlocker, type BlockerFunction } from 'react-router';

/** URL without the parameter that the router adds for forms of index routes. */
const pageOf = ({ pathname, search }: { pathname: string; search: string }) => {
  const params = new URLSearchParams(search);
  params.delete('index');
  return `${pathname}?${params}`;
};

/** Asks before unsaved changes are lost by navigation, reload or closing the tab. Submitting the form is allowed. */
export function UnsavedChanges({ isDirty }: { isDirty: () => boolean }) {
  const blocker = useBlocker(
    useCallback<BlockerFunction>(
      ({ currentLocation, nextLocation }) => pageOf(currentLocation) !== pageOf(nextLocation) && isDirty(),
      [isDirty],
    ),
  );
  useBeforeUnload(useCallback((event: BeforeUnloadEvent) => void (isDirty() && event.preventDefault()), [isDirty]));
  return (
    <DiscardDialog
      open={blocker.state === 'blocked'}
      onDiscard={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      Your changes on this page are not saved.
    </DiscardDialog>
  );
}

export interface DiscardDialogProps {
  open: boolean;
  onDiscard: () => void;
  onClose: () => void;
  /** Consequences in one or two sentences. */
  children: ReactNode;
}

/** Asks before unsaved changes are lost. */
export const DiscardDialog = ({ open, onDiscard, onClose, children }: DiscardDialogProps) => (
  <ConfirmDialog
    open={open}
    title="Discard changes?"
    verb="Discard changes"
    back="Keep editing"
    onConfirm={onDiscard}
    onClose={onClose}
  >
    {children}
  </ConfirmDialog>
);

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
