/** What a check found. `mend` says how to mend a problem, or what a note means. */
export interface Finding {
  check: string;
  /** `note`: works, with less. */
  state: 'ok' | 'note' | 'problem';
  says: string;
  mend?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says });
export const note = (check: string, says: string, mend: string): Finding => ({ check, state: 'note', says, mend });
export const problem = (check: string, says: string, mend: string): Finding => ({
  check,
  state: 'problem',
  says,
  mend,
});

/** The first line of what went wrong. */
export const reasonOf = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : '';
  // several addresses were tried and each failed
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join('; ');
  return `${error.message.split('\n')[0]}${cause}`;
};
