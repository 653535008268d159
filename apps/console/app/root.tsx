import type { ReactNode } from 'react';
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteLoaderData,
  type LoaderFunctionArgs,
} from 'react-router';
import './app.css';
import { ErrorPage } from './shell/error-page.tsx';
import { layoutMeta } from './shell/page-problem.ts';
import { requireSessionForForms } from './api/api-client.server.ts';
import { themeOf } from './shell/theme-cookie.server.ts';

/** Runs before every action and loader. */
export const middleware = [requireSessionForForms];

export const loader = ({ request }: LoaderFunctionArgs) => ({ theme: themeOf(request) });

export const meta = layoutMeta;

/** HTML document around every page, including error pages. */
export function Layout({ children }: { children: ReactNode }) {
  const theme = useRouteLoaderData<typeof loader>('root')?.theme ?? 'system';
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function Root() {
  return <Outlet />;
}

/** Error page outside of the page layout. */
export function ErrorBoundary({ error }: { error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <ErrorPage error={error} />
    </main>
  );
}
