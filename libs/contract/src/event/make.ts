import type { z } from 'zod';
import { eventVersions, type EventLevel, type EventType, type NewEvent } from './event.ts';
import type { eventData } from './event.ts';

/** An event before it has a number. */
export type EventDraft = Omit<NewEvent, 'n'>;

/**
 * A new event in the newest version of its type.
 * @param at when it happened
 */
export function makeEvent<Type extends EventType>(
  type: Type,
  message: string,
  data: z.input<(typeof eventData)[Type]>,
  at: Date,
  level: EventLevel = 'info',
): EventDraft {
  return {
    type,
    v: eventVersions[type],
    level,
    message: message.slice(0, 4000),
    at: at.toISOString(),
    data: data as EventDraft['data'],
  };
}
