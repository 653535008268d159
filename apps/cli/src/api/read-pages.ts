import { MAX_PAGE, type Page } from '@pilothouse/contract/api/query-params';
import type { Terminal } from '../output/terminal.ts';

/** Position and size of a page. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/** Items of several pages. */
export interface PagedItems<Item> {
  readonly items: Item[];
  /** True if the list has more items than the limit. */
  readonly hasMore: boolean;
}

/** Default number of rows that a command lists. */
export const DEFAULT_LIMIT = 20;

/** Reads a list page by page. @param limit maximum number of items (default: all) */
export async function readPages<Item>(
  readPage: (page: PageRequest) => Promise<Page<Item>>,
  limit = Infinity,
): Promise<PagedItems<Item>> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({
      limit: Math.min(MAX_PAGE, limit - items.length),
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return { items, hasMore: cursor !== undefined };
}

/** Prints a hint on stderr if more items exist. @param plural noun of the items */
export function printLimitHint(
  { err, errStyle }: Terminal,
  { hasMore }: PagedItems<unknown>,
  plural: string,
  limit: number,
) {
  if (hasMore) err(errStyle.dim(`More ${plural} exist. To list more, use --limit ${limit * 10}.`));
}
