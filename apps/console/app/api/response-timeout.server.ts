import { routeList } from '@pilothouse/contract/api/route-table';

/** Default timeout of API calls. It is shorter than that of a page. */
const DEFAULT_TIMEOUT_MS = 20_000;

/** Timeout of uploads, to the API or to the object store. The browser has the same timeout. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Routes that set their own timeout. The last parameter of a path may have several segments: `{key*}`. */
const slowRoutes = routeList
  .filter(({ seconds }) => seconds !== undefined)
  .map(({ method, path, seconds }) => ({
    method,
    segments: path.split('/'),
    timeoutMs: seconds == null ? UPLOAD_TIMEOUT_MS : seconds * 1000,
  }));

/** Milliseconds that a request of a page may take: as long as the route of the API may take. */
export function responseTimeoutMs({ method, url }: Pick<Request, 'method' | 'url'>, apiUrl: string): number {
  if (!url.startsWith(`${apiUrl}/`)) return UPLOAD_TIMEOUT_MS;
  const path = url.slice(apiUrl.length).split('?', 1)[0]?.split('/') ?? [];
  const slow = slowRoutes.find((route) => route.method === method && isPathOf(route.segments, path));
  return slow?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

const isPathOf = (segments: readonly string[], path: readonly string[]) =>
  (segments.at(-1)?.endsWith('*}') ? path.length >= segments.length : path.length === segments.length) &&
  segments.every((segment, index) => segment.startsWith('{') || segment === path[index]);
