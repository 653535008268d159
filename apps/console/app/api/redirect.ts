import { localPathOf } from '@pilothouse/contract/project/local-path';
import { redirect } from 'react-router';

/** Redirects within the console. Use no other function for it. @param path path of the console; any other text redirects to the home page */
export const redirectTo = (path: string, init?: ResponseInit): Response => redirect(localPathOf(path) ?? '/', init);

/** Redirects to an object. @param url URL signed by the API, never taken from a request */
export const redirectToObject = (url: string, init?: ResponseInit): Response => redirect(url, init);

/** Path to open after sign-in: `next` of the request, or the home page. */
export function nextOf(request: Request): string {
  const next = new URL(request.url).searchParams.get('next') ?? '/';
  return localPathOf(next)?.replace(/\.data(?=\?|$)/, '') ?? '/';
}
