import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import {
  type EventDraft,
  type EventLevel,
  type EventType,
  createEvent,
} from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { AttemptOutcome } from '@pilothouse/contract/worker/from-worker.messages';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { toStorable, toStorableText } from '@pilothouse/core/workflow/storable-text';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { AttemptLink, EventAttachment } from '@pilothouse/infra-link';

type DataOf<Type extends EventType> = Parameters<typeof createEvent<Type>>[2];

/** Maximum JSON length of error details. Longer details are dropped. */
const MAX_DETAILS_CHARS = 100_000;

/** Facts of a fixed shape. Their names come from the workflow author, not from the page. */
const unmaskedFacts = new Set(['id', 'action']);

/**
 * Collects the events of an attempt and sends them in batches: the outcome of a step waits for the intent of the next one. Masks every
 * event before it is sent.
 */
export class EventBuffer {
  private readonly link: Pick<AttemptLink, 'append'>;
  private readonly masker: Masker;
  private readonly clock: Clock;
  private pending: EventDraft[] = [];

  constructor(link: Pick<AttemptLink, 'append'>, masker: Masker, clock: Clock) {
    this.link = link;
    this.masker = masker;
    this.clock = clock;
  }

  /** True if an event waits for the next `flush`. */
  get hasEvents(): boolean {
    return this.pending.length > 0;
  }

  /** Adds an event to the next `flush`. */
  add<Type extends EventType>(type: Type, message: string, data: DataOf<Type>, level?: EventLevel): void {
    this.pending.push(this.maskEvent(createEvent(type, message, data, this.clock.now(), level)));
  }

  /**
   * Sends the buffered events with their attachment, and finally the outcome.
   * @returns when they are durable
   * @throws as `AttemptLink.append`
   */
  flush({ outcome, safePoint, question }: EventAttachment & { outcome?: AttemptOutcome } = {}): Promise<void> {
    const events = this.pending;
    this.pending = [];
    const attachment = {
      ...(safePoint && { safePoint }),
      ...(question && { question: { ...question, reason: this.masker.text(question.reason) } }),
    };
    return this.link.append(events, outcome && this.maskOutcome(outcome), attachment);
  }

  /** Converts an error to its masked wire form. */
  maskError({ code, retry, message, details }: ErrorView): ErrorView {
    const text = toStorableText(this.masker.text(message));
    if (!details) return { code, retry, message: text };
    // Details come from adapters and servers. They are converted to JSON first, so that every string is masked.
    const json = JSON.stringify(details);
    if (json.length > MAX_DETAILS_CHARS) return { code, retry, message: text };
    const facts = JSON.parse(json) as Record<string, Json>;
    return { code, retry, message: text, details: toStorable(this.masker.json(facts)) };
  }

  private maskEvent(draft: EventDraft): EventDraft {
    const data = Object.fromEntries(Object.entries(draft.data).map(([key, value]) => [key, this.maskFact(key, value)]));
    return { ...draft, message: toStorableText(this.masker.text(draft.message)), data };
  }

  private maskFact(key: string, value: Json): Json {
    if (value === undefined || unmaskedFacts.has(key)) return value;
    if (key === 'error' && value !== null) return this.maskError(value as unknown as ErrorView) as unknown as Json;
    return toStorable(key === 'value' || key === 'facts' ? this.masker.json(value) : this.masker.strings(value));
  }

  private maskOutcome(outcome: AttemptOutcome): AttemptOutcome {
    switch (outcome.status) {
      case 'completed':
        return { ...outcome, output: toStorable(this.masker.json(outcome.output)) };
      case 'failed':
        return { ...outcome, error: this.maskError(outcome.error) };
      case 'cancelled':
        return outcome;
    }
  }
}

/** Creates a log that names the run and masks its secrets. */
export function maskedLog(log: Log, masker: Masker, context: Record<string, Json>): Log {
  const facts = (data: object) =>
    masker.json({ ...context, ...(JSON.parse(JSON.stringify(data)) as Record<string, Json>) });
  return {
    debug: (data, message) => log.debug(facts(data), masker.text(message)),
    info: (data, message) => log.info(facts(data), masker.text(message)),
    warn: (data, message) => log.warn(facts(data), masker.text(message)),
    error: (data, message) => log.error(facts(data), masker.text(message)),
  };
}
