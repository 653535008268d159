import { PilothouseError } from '@pilothouse/contract';

/** Errors of a gateway, or of what it stands on, that is away for the moment. */
const away: ReadonlySet<string> = new Set(['UNAVAILABLE', 'INTERNAL']);

/** Whether the gateway may answer the same question a moment later. */
export const isTransient = (thrown: unknown): boolean => thrown instanceof PilothouseError && away.has(thrown.code);
