import { localPathOf } from '@pilothouse/contract';
import { redirect } from 'react-router';

/** The only way to redirect within the console. @param path of this console; any other text leads to the home page */
export const redirectTo = (path: string, init?: ResponseInit): Response => redirect(localPathOf(path) ?? '/', init);

/** Redirects to an object. @param url as the API signed it, never from a request */
export const redirectToObject = (url: string, init?: ResponseInit): Response => redirect(url, init);

/** The path that a browser goes to after it signed in: `next` of the request, or the home page. */
export function nextOf(request: Request): string {
  const next = new URL(request.url).searchParams.get('next') ?? '/';
  return localPathOf(next)?.replace(/\.data(?=\?|$)/, '') ?? '/';
}
