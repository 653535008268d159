import { unwrapData } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';

/**
 * Starts a run. Without an answer, the request is repeated once with the same key, which starts no second run.
 * @param send sends the request with an idempotency key
 * @param idempotencyKey default: a random one
 * @throws the errors of the API
 */
export async function startRun(
  send: (header: { 'idempotency-key': string }) => Promise<{ data?: RunView }>,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<RunView> {
  const start = () => unwrapData(send({ 'idempotency-key': idempotencyKey }));
  try {
    return await start();
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError) || thrown.code !== 'UNAVAILABLE') throw thrown;
    return start();
  }
}
