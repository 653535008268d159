import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';

/** Errors in the event numbers of a run; empty when they count from 1 without a gap. */
export function gapsIn(events: readonly Pick<RunEvent, 'seq'>[]): string[] {
  return events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`]));
}

/** All encodings in which a secret may be stored. */
export function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, bytes.toString('hex'), base64, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** Locations of a secret, among named texts. */
export function findSecret(secret: string, texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).flatMap(([location, text]) => {
    const encoding = encodingsOf(secret).find((candidate) => text.includes(candidate));
    if (encoding === undefined) return [];
    const index = text.indexOf(encoding);
    return [`${location}: ${text.slice(Math.max(0, index - 80), index + encoding.length + 40)}`];
  });
}
