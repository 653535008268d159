import { isField, type Field } from '@pilothouse/contract/actions/extraction.schema';
import { toLocatorChain, type Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { raceDeadline, remainingMs, poll } from '@pilothouse/core/time/deadlines';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { escapePointer } from '@pilothouse/core/workflow/templates';
import { parseValue } from '@pilothouse/core/workflow/values/parse-value';
import { EvidenceCollector, extractJson } from './extract-json.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { createNotFoundError } from '../targeting/not-found-report.ts';
import { resolveLocator } from '../targeting/resolve-locator.ts';
import { extractTable } from './extract-table.ts';
import { withDeadline, type ActionContext, type ActionHandler } from '../action-context.ts';
import { readFields, fieldQuery, type FieldText, type FieldQuery } from '../injected/read-data.ts';
import { isPageIdle } from '../pages/page-idle.ts';

/** Maximum wait for an optional value. */
const OPTIONAL_MS = 2000;

const toFieldQuery = ({ css, attribute }: Field): FieldQuery => ({ css: css ?? null, attribute: attribute ?? null });

/** Converts a raw text to the type of a field. @throws PilothouseError EXTRACTION_FAILED */
function toFieldValue(raw: FieldText | undefined, field: Field, language: string, label: string): Json {
  if (raw === undefined || 'problem' in raw) {
    throw new PilothouseError('EXTRACTION_FAILED', `${label}: ${raw?.problem ?? 'nothing was read'}`);
  }
  const value = parseValue(raw.text, { ...field, language }, label);
  if (value !== null || field.optional) return value;
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${label}: ${mismatchText(raw.text, field)}, where ${field.type ?? 'string'} is expected`,
    {
      details: { field: label, text: raw.text?.slice(0, 1000) ?? null, type: field.type ?? 'string' },
    },
  );
}

function mismatchText(text: string | null, { css, attribute, pattern }: Field): string {
  if (text === null) {
    if (css !== undefined) return `there is no ${css}${attribute ? ` with an attribute ${attribute}` : ''}`;
    return `there is no attribute ${attribute ?? ''}`;
  }
  return pattern !== undefined && text !== ''
    ? `${JSON.stringify(text.slice(0, 100))} does not match ${pattern}`
    : 'it is empty';
}

async function extractValue(ctx: ActionContext, target: Target, field: Field, locale?: string) {
  const limited = field.optional ? withDeadline(ctx, ctx.timers.monotonic() + OPTIONAL_MS) : ctx;
  try {
    // An attribute may belong to an invisible element such as `<meta>`.
    const { ref, located } = await waitForTarget(
      limited,
      target,
      field.attribute === undefined ? 'visible' : 'attached',
    );
    const { rows, language } = await raceDeadline(
      ref.evaluateAll(readFields, fieldQuery([toFieldQuery(field)])),
      ctx,
      'Reading',
    );
    const raw = rows[0]?.[0];
    const evidence = new EvidenceCollector();
    const value = toFieldValue(raw, field, locale ?? language, located.locator);
    if (raw && 'text' in raw) evidence.add('', raw.path, raw.text);
    return { located, value, evidence: evidence.toEvidence(ctx.page.url()) };
  } catch (error) {
    if (field.optional && error instanceof PilothouseError && error.code === 'TARGET_NOT_FOUND')
      return { located: null, value: null };
    throw error;
  }
}

type List = Field | Record<string, Field>;

async function extractList(ctx: ActionContext, target: Target, list: List, locale?: string) {
  const fields: [string, Field][] = isField(list) ? [['', list]] : Object.entries(list);
  const optional = fields.every(([, field]) => field.optional);
  const chain = toLocatorChain(target);
  await ctx.waitUntilSettled();
  const listDeadline = {
    signal: ctx.signal,
    timers: ctx.timers,
    deadline: optional
      ? ctx.timers.monotonic() + Math.min(OPTIONAL_MS, remainingMs(ctx))
      : ctx.deadline - Math.min(300, remainingMs(ctx) * 0.2),
  };
  let isSettled = false;
  const fieldValue = await poll(async () => {
    for (const [index, locator] of chain.entries()) {
      const resolved = await raceDeadline(
        resolveLocator(ctx.page, locator, true),
        listDeadline,
        describeLocator(locator),
      ).catch(() => null);
      const fieldRows = await resolved?.matches
        .evaluateAll(readFields, fieldQuery(fields.map(([, field]) => toFieldQuery(field))))
        .catch(() => null);
      ctx.signal.throwIfAborted();
      if (fieldRows && fieldRows.rows.length > 0)
        return { ...fieldRows, located: { locator: describeLocator(locator), triedCount: index + 1 } };
    }
    // Read once more after the page became idle, because rows may have arrived just before.
    if (isSettled) return null;
    isSettled = optional && (await isPageIdle(ctx, listDeadline).catch(() => false));
    return undefined;
  }, listDeadline);
  if (!fieldValue) {
    if (optional) return { located: null, value: [] };
    throw await createNotFoundError(ctx, chain, []);
  }
  const { rows, language, located } = fieldValue;
  const evidence = new EvidenceCollector();
  const value = rows.map((row, index) => {
    const values = fields.map(([name, field], fieldIndex): [string, Json] => {
      const label = `${located.locator}, element ${index}${name && `, ${name}`}`;
      const raw = row[fieldIndex];
      const fieldValue = toFieldValue(raw, field, locale ?? language, label);
      if (raw && 'text' in raw) evidence.add(`/${index}${name && `/${escapePointer(name)}`}`, raw.path, raw.text);
      return [name, fieldValue];
    });
    return isField(list) ? (values[0]?.[1] ?? null) : Object.fromEntries(values);
  });
  return { located, value, evidence: evidence.toEvidence(ctx.page.url()) };
}

/** Reads a value, a list or a table as typed JSON. */
export const extract: ActionHandler<'extract'> = async (ctx, { target, json, value, list, table, locale }) => {
  if (json) return extractJson(ctx, json, list ?? value ?? {}, list !== undefined, locale);
  const chain = target ?? [];
  if (table) return extractTable(ctx, chain, table, locale);
  return list ? extractList(ctx, chain, list, locale) : extractValue(ctx, chain, value ?? {}, locale);
};
