import type { RunEgress, SubmitEgress } from '@pilothouse/contract';

/** What a run says of where it may go, and the password of its proxy apart: that one is kept with the secrets and shown to nobody. */
export function extractProxyPassword(given: SubmitEgress | null): { egress: RunEgress | null; password?: string } {
  if (!given?.proxy) return { egress: given };
  const { password, ...proxy } = given.proxy;
  return { egress: { ...given, proxy }, ...(password !== undefined && { password }) };
}
