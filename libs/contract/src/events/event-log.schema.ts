import type { z } from 'zod';
import {
  type EventLevel,
  type EventType,
  MAX_MESSAGE,
  type NewEvent,
  type eventData,
  eventVersions,
} from './run.events.ts';

/** An event before it has a number. */
export type EventDraft = Omit<NewEvent, 'sequence'>;

/**
 * A new event in the newest version of its type.
 * @param at when it happened
 */
export function createEvent<Type extends EventType>(
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
    message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message,
    at: at.toISOString(),
    data: data as EventDraft['data'],
  };
}
