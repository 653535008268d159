import { ConfirmDialog } from '@pilothouse/ui-kit';
import { useCallback } from 'react';
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
    <ConfirmDialog
      open={blocker.state === 'blocked'}
      title="Discard changes?"
      verb="Discard changes"
      back="Keep editing"
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      Your changes on this page are not saved.
    </ConfirmDialog>
  );
}
