import { z } from 'zod';
import { idSchema, jsonSchema, parsedJsonObjectSchema, timestampSchema } from '../primitives.schema.ts';
import { agentEventData } from './agent.events.ts';
import { runEventData } from './run.events.ts';

/*
 * The event log of a run. A new event needs its data schema in `run.events.ts` or `agent.events.ts` and, if workers write it, an entry in
 * `workerEvents`.
 */

/** Schema of each event type's data, by type. */
export const eventData = { ...runEventData, ...agentEventData } as const;

export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]];

/** Data of one event type. */
export type EventData<Type extends EventType> = z.infer<(typeof eventData)[Type]>;

/** Version of the data of all events. */
export const EVENT_VERSION = 1;

/** Maximum length of an event's message, in characters. */
export const MAX_MESSAGE_CHARS = 4000;

/** The last event of a run is one of these. */
export const terminalEvents: ReadonlySet<EventType> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** Events that workers write. The API writes all others. */
export const workerEvents: ReadonlySet<EventType> = new Set([
  'step.started',
  'step.completed',
  'step.healed',
  'step.failed',
  'step.retrying',
  'step.skipped',
  'branch.step_started',
  'branch.step_completed',
  'agent.turn',
  'agent.action_started',
  'agent.action_completed',
  'agent.answer_sources',
  'agent.note',
  'dialog.opened',
  'dialog.closed',
  'control.action',
  'egress.blocked',
  'site_limit.waiting',
  'site_limit.passed',
  'run.log',
]);

export const eventLevelSchema = z.enum(['debug', 'info', 'warn', 'error']);
export type EventLevel = z.infer<typeof eventLevelSchema>;

/** Fields of every event. */
const envelopeFields = {
  type: z.enum(eventTypes),
  v: z.int().min(1).describe('Version of `data`'),
  level: eventLevelSchema,
  message: z.string().max(MAX_MESSAGE_CHARS).describe('One line for people'),
  at: timestampSchema.describe('Time of the event, by the clock of its sender'),
};

/** An event as a worker sends it. `sequence` counts the events of one attempt from 1 and identifies an event that is sent again. */
export const newEventSchema = z.object({ ...envelopeFields, data: parsedJsonObjectSchema, sequence: z.int().min(1) });
export type NewEvent = z.infer<typeof newEventSchema>;

/** An event before it has a number. */
export type EventDraft = Omit<NewEvent, 'sequence'>;

/** An event of a run. `seq` counts the events of the run from 1 without gaps. */
export const runEventSchema = z
  .object({
    ...envelopeFields,
    data: z.record(z.string(), jsonSchema).describe('Data of the event, by type'),
    seq: z.int().min(1).describe('Number of the event in the run, from 1 without gaps'),
    run: idSchema,
    epoch: z.int().min(0).describe('Attempt of the event; 0: before the first attempt'),
  })
  .meta({ id: 'RunEvent', description: 'One numbered event of a run' });
export type RunEvent = z.infer<typeof runEventSchema>;

/**
 * Creates an event. A message that is too long is cut.
 * @param time time of the event
 */
export function createEvent<Type extends EventType>(
  type: Type,
  message: string,
  data: z.input<(typeof eventData)[Type]>,
  time: Date,
  level: EventLevel = 'info',
): EventDraft {
  return {
    type,
    v: EVENT_VERSION,
    level,
    message: message.length > MAX_MESSAGE_CHARS ? `${message.slice(0, MAX_MESSAGE_CHARS - 1)}…` : message,
    at: time.toISOString(),
    data: data as EventDraft['data'],
  };
}
