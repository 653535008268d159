import { assetUrl } from './assets/asset-list.ts';
import { logo, waves } from './drawings.ts';
import type { Session } from './data/accounts.data.ts';
import { html, type Html } from './html.ts';

const SECTIONS = [
  { path: '/catalogue', title: 'Catalogue' },
  { path: '/orders', title: 'Orders' },
  { path: '/stock', title: 'Stock' },
  { path: '/slow', title: 'Tides' },
  { path: '/contact', title: 'Contact' },
] as const;

export interface PageContent {
  title: string;
  session: Session | null;
  /** Path of the section that the navigation marks as current. */
  section?: (typeof SECTIONS)[number]['path'];
  /** Script files from assets/, without folder. */
  scripts?: readonly string[];
  /** `wide` has no margins: the landing page fills the window. */
  width?: 'normal' | 'narrow' | 'wide';
  content: Html;
}

/** A complete page: header with navigation, content as `main`, footer. */
export function layout(options: PageContent): Html {
  const { title, session, section, scripts = [], width = 'normal', content } = options;
  const body = html`<a class="skip" href="#main">Skip to content</a>
    ${header(session, section)}
    <main id="main" class="main main-${width}">${content}</main>
    ${footer()}`;
  return htmlDocument(title, scripts, 'page', body);
}

/** A page without header and footer, for frames. */
export function bareLayout(title: string, content: Html): Html {
  return htmlDocument(title, [], 'bare', html`<main>${content}</main>`);
}

function htmlDocument(title: string, scripts: readonly string[], kind: 'page' | 'bare', body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Harbour Supplies</title>
        <link rel="icon" href="${assetUrl('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetUrl('site.css')}" />
        ${scripts.map((name) => html`<script type="module" src="${assetUrl(name)}"></script>`)}
      </head>
      <body class="${kind}">
        ${body}
      </body>
    </html>`;
}

function header(session: Session | null, section: string | undefined): Html {
  return html`<header class="top">
    <div class="top-row">
      <a class="brand" href="${session ? '/catalogue' : '/'}"
        >${logo()}<span>Harbour <b>Supplies</b></span></a
      >
      ${session ? navigation(section) : ''}
      <div class="account">
        ${
          session
            ? html`<span class="who" title="${session.account.email}"
                  ><b>${session.account.name}</b>${session.account.company}</span
                >
                <form method="post" action="/logout"><button class="button quiet">Log out</button></form>`
            : html`<a class="button quiet" href="/login">Log in</a>`
        }
      </div>
    </div>
  </header>`;
}

function navigation(section: string | undefined): Html {
  return html`<nav class="sections" aria-label="Main">
    ${SECTIONS.map(
      ({ path, title }) => html`<a href="${path}" ${section === path ? html` aria-current="page"` : ''}>${title}</a>`,
    )}
  </nav>`;
}

function footer(): Html {
  return html`<footer class="bottom">
    ${waves()}
    <div class="bottom-row">
      <span>Harbour Supplies · Quay 7, Rotterdam</span>
      <span>A demo portal: nothing here is for sale.</span>
      <a href="/public/widgets">Widget gallery</a>
    </div>
  </footer>`;
}
