/** Code of a thrown error, for example `ENOSPC` (system) or `NoSuchKey` (S3). Empty when the error has no code. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
