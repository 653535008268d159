import type { RunEvent } from '@pilothouse/contract';

/** Errors in the event numbers of a run; empty when they count from 1 without a gap. */
export function gapsIn(events: readonly Pick<RunEvent, 'seq'>[]): string[] {
  return events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`]));
}

/** All encodings in which a secret may be stored. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, bytes.toString('hex'), base64, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** Locations of a secret, among named texts. */
export function placesContaining(secret: string, written: Readonly<Record<string, string>>): string[] {
  return Object.entries(written).flatMap(([place, text]) => {
    const form = formsOf(secret).find((one) => text.includes(one));
    if (form === undefined) return [];
    const at = text.indexOf(form);
    return [`${place}: ${text.slice(Math.max(0, at - 80), at + form.length + 40)}`];
  });
}
