import { useCallback, useEffect, useState } from 'react';

/** Milliseconds that a button shows success. */
const FEEDBACK_MS = 2_000;

/** Writes to the clipboard. @returns false if it is not permitted, or not available without TLS */
export const writeClipboard = (text: string): Promise<boolean> =>
  // Without TLS there is no clipboard object.
  Promise.resolve()
    .then(() => navigator.clipboard.writeText(text))
    .then(
      () => true,
      () => false,
    );

export interface CopyText {
  /** `failed`: the page has to show the text, so that the viewer can copy it. */
  state: 'idle' | 'copied' | 'failed';
  copy: () => void;
}

/** Copies a text when the viewer presses a button. Another text resets the state. */
export function useCopyText(text: string): CopyText {
  const [state, setState] = useState<CopyText['state']>('idle');
  useEffect(() => setState('idle'), [text]);
  useEffect(() => {
    if (state !== 'copied') return undefined;
    const timer = setTimeout(() => setState('idle'), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = useCallback(
    () => void writeClipboard(text).then((isWritten) => setState(isWritten ? 'copied' : 'failed')),
    [text],
  );
  return { state, copy };
}
