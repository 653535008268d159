import { v7 } from 'uuid';

/** Returns a new identifier: UUID version 7, so that ids sort by time. @param now milliseconds since 1970 */
export const newId = (now?: number): string => v7(now === undefined ? undefined : { msecs: now });
