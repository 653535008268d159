import { cookieOf, setCookie } from '../../server/session-cookies.ts';

const cookie = 'pilothouse_theme';
const yearSeconds = 31_536_000;

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const isTheme = (text: string | undefined): text is Theme => themes.some((theme) => theme === text);

/** Selected theme; default: `system`. */
export function themeOf(request: Request): Theme {
  const value = cookieOf(request.headers.get('cookie'), cookie);
  return isTheme(value) ? value : 'system';
}

/** Cookie header that stores the theme. @returns value of a `Set-Cookie` header */
export const themeCookieHeader = (theme: Theme, isSecure: boolean): string =>
  setCookie(cookie, theme, yearSeconds, isSecure);
