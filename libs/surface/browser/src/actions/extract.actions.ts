import { isField, toLocatorChain, PilothouseError, type Field, type Json, type Target } from '@pilothouse/contract';
import { describeLocator, escapePointer, parseValue, raceDeadline, remainingMs, poll } from '@pilothouse/core';
import { EvidenceCollector, extractJson } from './extract-json.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { notFoundError } from '../targeting/not-found-report.ts';
import { resolveLocator } from '../targeting/resolve-locator.ts';
import { extractTable } from './extract-table.ts';
import { withDeadline, type ActionContext, type ActionHandler } from '../action-context.ts';
import { readFields, fieldQuery, type FieldText, type FieldQuery } from '../injected/read-data.ts';
import { rests } from '../pages/page-idle.ts';

/** How long something optional is waited for before it counts as not there, in milliseconds. */
const OPTIONAL_MS = 2000;

const wantedOf = ({ css, attribute }: Field): FieldQuery => ({ css: css ?? null, attribute: attribute ?? null });

/** A raw text as the value a field asks for. @throws PilothouseError EXTRACTION_FAILED */
function valueOf(raw: FieldText | undefined, field: Field, language: string, what: string): Json {
  if (raw === undefined || 'wrong' in raw) {
    throw new PilothouseError('EXTRACTION_FAILED', `${what}: ${raw?.wrong ?? 'nothing was read'}`);
  }
  const value = parseValue(raw.text, { ...field, language }, what);
  if (value !== null || field.optional) return value;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${what}: ${missing(raw.text, field)}, where ${field.type ?? 'string'} is expected`,
    {
      details: { field: what, text: raw.text?.slice(0, 1000) ?? null, type: field.type ?? 'string' },
    },
  );
}

function missing(text: string | null, { css, attribute, pattern }: Field): string {
  if (text === null) {
    if (css !== undefined) return `there is no ${css}${attribute ? ` with an attribute ${attribute}` : ''}`;
    return `there is no attribute ${attribute ?? ''}`;
  }
  return pattern !== undefined && text !== ''
    ? `${JSON.stringify(text.slice(0, 100))} does not match ${pattern}`
    : 'it is empty';
}

async function extractValue(hand: ActionContext, target: Target, field: Field, locale?: string) {
  const bounds = field.optional ? withDeadline(hand, performance.now() + OPTIONAL_MS) : hand;
  try {
    /* An attribute may be wanted of what nobody sees, such as a <meta>. */
    const { one, located } = await waitForTarget(
      bounds,
      target,
      field.attribute === undefined ? 'visible' : 'attached',
    );
    const { rows, language } = await raceDeadline(
      one.evaluateAll(readFields, fieldQuery([wantedOf(field)])),
      hand,
      'Reading',
    );
    const raw = rows[0]?.[0];
    const evidence = new EvidenceCollector();
    const value = valueOf(raw, field, locale ?? language, located.locator);
    if (raw && 'text' in raw) evidence.add('', raw.from, raw.text);
    return { located, value, evidence: evidence.of(hand.page.url()) };
  } catch (thrown) {
    if (field.optional && thrown instanceof PilothouseError && thrown.code === 'TARGET_NOT_FOUND')
      return { located: null, value: null };
    throw thrown;
  }
}

type List = Field | Record<string, Field>;

async function extractList(hand: ActionContext, target: Target, list: List, locale?: string) {
  const fields: [string, Field][] = isField(list) ? [['', list]] : Object.entries(list);
  const optional = fields.every(([, field]) => field.optional);
  const chain = toLocatorChain(target);
  await hand.settled();
  const until = {
    signal: hand.signal,
    deadline: optional
      ? performance.now() + Math.min(OPTIONAL_MS, remainingMs(hand))
      : hand.deadline - Math.min(300, remainingMs(hand) * 0.2),
  };
  let isSettled = false;
  const read = await poll(async () => {
    for (const [index, locator] of chain.entries()) {
      const resolved = await raceDeadline(
        resolveLocator(hand.page, locator, true),
        until,
        describeLocator(locator),
      ).catch(() => null);
      const seen = await resolved?.all
        .evaluateAll(readFields, fieldQuery(fields.map(([, field]) => wantedOf(field))))
        .catch(() => null);
      hand.signal.throwIfAborted();
      if (seen && seen.rows.length > 0)
        return { ...seen, located: { locator: describeLocator(locator), triedCount: index + 1 } };
    }
    /* Looked at once more after the page came to rest: rows may have come just before. */
    if (isSettled) return null;
    isSettled = optional && (await rests(hand, until).catch(() => false));
    return undefined;
  }, until);
  if (!read) {
    if (optional) return { located: null, value: [] };
    throw await notFoundError(hand, chain, []);
  }
  const { rows, language, located } = read;
  const evidence = new EvidenceCollector();
  const value = rows.map((row, index) => {
    const values = fields.map(([name, field], at): [string, Json] => {
      const what = `${located.locator}, element ${index}${name && `, ${name}`}`;
      const raw = row[at];
      const read = valueOf(raw, field, locale ?? language, what);
      if (raw && 'text' in raw) evidence.add(`/${index}${name && `/${escapePointer(name)}`}`, raw.from, raw.text);
      return [name, read];
    });
    return isField(list) ? (values[0]?.[1] ?? null) : Object.fromEntries(values);
  });
  return { located, value, evidence: evidence.of(hand.page.url()) };
}

/** Reads a value, a list or a table as typed JSON. */
export const extract: ActionHandler<'extract'> = async (hand, { target, json, value, list, table, locale }) => {
  if (json) return extractJson(hand, json, list ?? value ?? {}, list !== undefined, locale);
  const where = target ?? [];
  if (table) return extractTable(hand, where, table, locale);
  return list ? extractList(hand, where, list, locale) : extractValue(hand, where, value ?? {}, locale);
};
