/** Code of a thrown error, e.g. `ENOSPC` of the system or `NoSuchKey` of S3; empty when it has none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
