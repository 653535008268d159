import { MAX_PAGE, type Page } from '@pilothouse/contract/api/query-params';

/** Query of one page of a list. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** Reads all pages of a list, for lists without a "Next page" link. */
export async function readPages<Item>(readPage: (query: PageQuery) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: MAX_PAGE, cursor });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
