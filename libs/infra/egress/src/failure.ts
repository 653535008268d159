/** What the codes of the system mean, for people. */
const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not answer in time',
};

/** Why a connection did not come to be, in words that quote nothing. */
export function connectionFailureReason(thrown: unknown): string {
  const { code, errors } = (thrown ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && code in words) return words[code] ?? code;
  // Of several addresses each has failed: the last is as good as any.
  if (Array.isArray(errors) && errors.length > 0) return connectionFailureReason(errors.at(-1));
  if (thrown instanceof UpstreamError) return thrown.message;
  return typeof code === 'string' ? code : 'it could not be connected to';
}

/** The proxy of the run did not do as it was asked. */
export class UpstreamError extends Error {}
