import { apiPrefix } from '../../server/api-prefix.ts';

/** Response of the API, or an error message. */
export type ApiAnswer<Value> = { answer: Value; error: null } | { answer: null; error: string };

export interface PostOptions {
  method?: 'POST' | 'DELETE';
  body?: unknown;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
}

/** Changes data through the API from browser code. The console server adds the identity and the CSRF token. @param path below `/v1/` */
export async function postApi<Value>(
  path: string,
  { method = 'POST', body, keepalive = false }: PostOptions = {},
): Promise<ApiAnswer<Value>> {
  try {
    const answer = await fetch(apiPrefix + path, {
      method,
      keepalive,
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const content = (await answer.json()) as Value & { detail?: string; title?: string };
    if (answer.ok) return { answer: content, error: null };
    return { answer: null, error: content.detail ?? content.title ?? `The API answered ${answer.status}` };
  } catch {
    return { answer: null, error: 'The API cannot be reached' };
  }
}
