/** Returns the system code of an error (`ENOENT`), in every JavaScript realm. Undefined when the error has no code. */
export const errorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
