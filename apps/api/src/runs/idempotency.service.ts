import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { IdempotencyStore, type IdempotencyClaim, type KeyState } from '@pilothouse/infra-db';

/** JSON with sorted keys, so that equal requests have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A run, and whether an earlier request with the same key submitted it. */
export interface SubmissionResult {
  run: string;
  isRepeated: boolean;
}

/** Executes requests with an Idempotency-Key once. */
export class IdempotencyService {
  constructor(@Inject(IdempotencyStore) private readonly store: IdempotencyStore) {}

  /**
   * Submits a run, or returns the one that this request submitted before.
   * @param request all data that identifies the request
   * @param submit stores the run and completes the key in one commit, if the key is still held; returns the run
   * @throws PilothouseError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_FLIGHT
   */
  async runOnce(
    project: string,
    key: string | null,
    request: unknown,
    submit: (claim: IdempotencyClaim | null) => Promise<string>,
  ): Promise<SubmissionResult> {
    if (key === null) return { run: await submit(null), isRepeated: false };
    const hash = createHash('sha256').update(canonical(request)).digest('hex');
    const result = await this.store.claim(project, key, hash);
    if (result.state !== 'new') return answerOf(result);
    const { claim } = result;
    try {
      return { run: await submit(claim), isRepeated: false };
    } catch (error) {
      // Nothing was done, so the corrected request may use the key. If the release fails, too, the key expires in two minutes.
      await this.store.release(project, claim).catch(() => undefined);
      if (!(error instanceof PilothouseError && error.code === 'IDEMPOTENCY_IN_FLIGHT')) throw error;
      // The request took too long and lost its key: the current holder did the work, or does it.
      return answerOf((await this.store.read(project, key, hash)) ?? { state: 'in-flight' });
    }
  }
}

/** The answer to a request whose key is already in use. */
function answerOf(keyState: KeyState): SubmissionResult {
  switch (keyState.state) {
    case 'done':
      return { run: keyState.run, isRepeated: true };
    case 'in-flight':
      throw new PilothouseError(
        'IDEMPOTENCY_IN_FLIGHT',
        'Another request with this `Idempotency-Key` is in progress. Try again.',
      );
    case 'mismatch':
      throw new PilothouseError(
        'IDEMPOTENCY_MISMATCH',
        'This `Idempotency-Key` was used for another request. Use a new key for a new request.',
      );
    default:
      return assertNever(keyState);
  }
}
