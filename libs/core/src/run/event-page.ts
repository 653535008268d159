import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Anchors } from '../ports/surface.port.ts';

/** Returns the page of an event, with its HTTP status if that is an error. */
export const eventPageOf = ({ url, title, status }: Anchors): NonNullable<EventData<'step.completed'>['page']> => ({
  url,
  title,
  ...(status !== undefined && { status }),
});
