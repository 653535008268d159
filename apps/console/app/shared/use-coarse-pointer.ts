import { useSyncExternalStore } from 'react';

const QUERY = '(pointer: coarse)';

function follow(changed: () => void): () => void {
  const query = matchMedia(QUERY);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Whether the viewer points with a finger first of all. */
export const useCoarsePointer = (): boolean =>
  useSyncExternalStore(
    follow,
    () => matchMedia(QUERY).matches,
    () => false,
  );
