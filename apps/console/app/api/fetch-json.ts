/** JSON of any response, or an error message if there is none. */
export type JsonAnswer =
  { response: Response; content: unknown; error: null } | { response: null; content: null; error: string };

export interface FetchJsonOptions extends RequestInit {
  /** Maximum duration of the request, including the body. */
  timeoutMs: number;
  /** Name of the server in error messages: `the API`. */
  server: string;
}

/** Sends a request from browser code. It never throws. */
export async function fetchJson(url: string, { timeoutMs, server, ...init }: FetchJsonOptions): Promise<JsonAnswer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return { response, content: await response.json(), error: null };
  } catch (error) {
    return { response: null, content: null, error: messageOf(error, server, timeoutMs) };
  }
}

function messageOf(error: unknown, server: string, timeoutMs: number): string {
  const { name } = error as Error;
  if (name === 'TimeoutError') return `No response from ${server} within ${timeoutMs / 1000} s. Try again.`;
  if (name === 'SyntaxError') return `The response of ${server} is not JSON. Try again, or sign in again.`;
  return `No connection to ${server}. Try again.`;
}
