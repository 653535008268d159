import { object, oneOf, ShapeError, text } from '../session/shape-checks.ts';

/* Messages between the worker and the supervisor of a slot, in frames. The bytes of the session pass through unread. */

/** From the worker. */
export type SlotRequest =
  /** Starts the process of a session. */
  | { readonly type: 'start'; readonly environment: Readonly<Record<string, string>> }
  | { readonly type: 'data'; readonly chunk: { readonly bytes: Uint8Array } }
  /** Ends the session, and prepares the slot for the next one. */
  | { readonly type: 'end' }
  /** Answers a wrong key. The worker closes the connection. */
  | { readonly type: 'refuse'; readonly reason: string };

/** From the supervisor. */
export type SlotReport =
  /** First message: proves that the supervisor sent it, not a program. */
  | { readonly type: 'hello'; readonly key: string }
  /** Nothing of an earlier session is left. */
  | { readonly type: 'ready' }
  | { readonly type: 'data'; readonly chunk: { readonly bytes: Uint8Array } }
  /** The last `data` has reached the session process. Only then the worker sends the next. */
  | { readonly type: 'written' }
  /** The session process has ended by itself. */
  | { readonly type: 'ended'; readonly reason: string };

const hello = object({ key: text(1_000) });
const ended = object({ reason: text(1_000) });
const typed = object({ type: oneOf('hello', 'ready', 'data', 'written', 'ended') });

/** @throws ShapeError */
export function checkReport(value: unknown): SlotReport {
  const { type } = typed(value);
  if (type === 'hello') return { type, ...hello(value) };
  if (type === 'ended') return { type, ...ended(value) };
  if (type === 'ready' || type === 'written') return { type };
  const { chunk } = value as { chunk?: { bytes?: unknown } };
  if (!(chunk?.bytes instanceof Uint8Array)) throw new ShapeError('expected bytes');
  return { type, chunk: { bytes: chunk.bytes } };
}
