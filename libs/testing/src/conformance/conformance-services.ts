import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Action services with a deadline in `ms` milliseconds. */
export const actionServices = (ms: number, services: Partial<ActionServices> = {}): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + ms,
  log,
  guard: () => {},
  reveal: async (text) => text,
  file: async (upload) => upload,
  ...services,
});

/** Returns the PilothouseError that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<PilothouseError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PilothouseError) return error;
    throw error;
  }
  throw new Error('It did not fail');
}
