import { z } from 'zod';

/** Largest page of a list. */
export const MAX_PAGE = 200;

/** Query of every list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50).describe('Maximum number of items'),
  cursor: z
    .string()
    .max(500)
    .optional()
    .describe('`nextCursor` of the previous page. New items do not shift the pages'),
};

/** One page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      items: z.array(item),
      nextCursor: z.string().nullable().describe('Cursor of the next page; null: this is the last page'),
    })
    .meta({ id });

/** A page of a list of items. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * A query parameter that may be given several times, or once with commas.
 * @param max maximum number of values (default: unlimited)
 */
export const listQuery = <Item extends z.ZodType>(item: Item, max?: number) =>
  z.preprocess(
    (input) => (input === undefined ? undefined : [input].flat().flatMap((text) => String(text).split(','))),
    (max === undefined ? z.array(item) : z.array(item).max(max)).min(1).optional(),
  );

/** A query parameter that may be given several times; values are not split. */
export const repeatedQuery = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((input) => (input === undefined ? undefined : [input].flat()), z.array(item).min(1).optional());

/** A query parameter that is `true` or `false`. */
export const flagQuery = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Header of requests that may be repeated without side effects. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Any string. The same key with the same request returns the same run for 24 hours. With another request it is rejected',
    ),
});
