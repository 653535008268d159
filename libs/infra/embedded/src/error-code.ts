/** The system's code of an error (`ENOENT`), whichever realm its class is of; undefined when it has none. */
export const errorCode = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
