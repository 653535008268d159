import { unwrapData, type Client } from '@pilothouse/client';

/** Active workflows by name whose name or title contains a text. @param text empty: all @param limit maximum number */
export async function searchWorkflows({ api }: Client, text: string, limit: number) {
  const query = { limit, ...(text !== '' && { text }) };
  const { items } = await unwrapData(api.GET('/v1/workflows', { params: { query } }));
  return items.map(({ name, title }) => ({ name, title }));
}

/** Maximum length of a searched text, as in the API. */
const MAX_TEXT = 200;

/** Text of a search request. */
export const searchTextOf = ({ url }: Request): string =>
  (new URL(url).searchParams.get('text') ?? '').trim().slice(0, MAX_TEXT);
