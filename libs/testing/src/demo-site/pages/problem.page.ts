import type { Session } from '../data/accounts.data.ts';
import { html, type Html } from '../html.ts';
import { layout } from '../site-layout.ts';

const TITLES: Record<number, string> = {
  404: 'Not found',
  405: 'Not possible here',
  413: 'Too large',
  500: 'Something went wrong',
};

/** Error page for a visitor. */
export function problemPage(session: Session | null, status: number, sentence: string): Html {
  const title = TITLES[status] ?? 'That did not work';
  const content = html`<section class="card notice">
    <p class="eyebrow">Error ${status}</p>
    <h1>${title}</h1>
    <p>${sentence}</p>
    <p>
      <a class="button" href="${session ? '/catalogue' : '/'}"
        >${session ? 'Back to the catalogue' : 'Back to the start'}</a
      >
    </p>
  </section>`;
  return layout({ title, session, width: 'narrow', content });
}
