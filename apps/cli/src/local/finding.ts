/** Result of a check. `fix` explains how to fix a problem, or describes a note. */
export interface Finding {
  check: string;
  /** `note`: works with limitations. */
  state: 'ok' | 'note' | 'problem';
  message: string;
  fix?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, state: 'ok', message });
export const note = (check: string, message: string, fix: string): Finding => ({ check, state: 'note', message, fix });
export const problem = (check: string, message: string, fix: string): Finding => ({
  check,
  state: 'problem',
  message,
  fix,
});

/** The first line of an error message, with its cause. */
export const reasonOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : '';
  // Several addresses failed.
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join('; ');
  return `${error.message.split('\n')[0]}${cause}`;
};
