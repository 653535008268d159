import { DEMO_ACCOUNT, SESSION_COOKIE, authenticate, isKnownEmail } from '../data/accounts.data.ts';
import { logo } from '../drawings.ts';
import { html, type Html } from '../html.ts';
import { page, redirect, type Reply } from '../site-responses.ts';
import type { Route, SiteRequest, SiteState } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const loginRoutes: readonly Route[] = [
  { method: 'GET', path: '/login', shape: 'page', access: 'public', handle: showLogin },
  { method: 'POST', path: '/login', shape: 'page', access: 'public', handle: logIn },
  { method: 'GET', path: '/logout', shape: 'page', access: 'public', handle: logOut },
  { method: 'POST', path: '/logout', shape: 'page', access: 'public', handle: logOut },
];

function showLogin(request: SiteRequest): Reply {
  const next = safePath(request.query.get('next'));
  if (request.session) return redirect(next);
  return page(loginPage({ next, email: '' }));
}

async function logIn(request: SiteRequest, state: SiteState): Promise<Reply> {
  const form = await request.form();
  const [email, password, next] = ['email', 'password', 'next'].map((name) => textOf(form.get(name)));
  const account = authenticate(email ?? '', password ?? '');
  // Only a known address is recorded, because users may type a password into this field.
  const user = isKnownEmail(email ?? '') ? DEMO_ACCOUNT.email : null;
  if (!account) {
    request.record('login', { user, ok: false });
    return page(loginPage({ next: safePath(next), email: email ?? '', hasFailed: true }), 401);
  }
  const { token, session } = state.sessions.open(account);
  state.ledger.add({
    method: 'POST',
    path: request.path,
    session: session.label,
    kind: 'login',
    detail: { user, ok: true },
  });
  return redirect(safePath(next), { 'set-cookie': `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax` });
}

function logOut(request: SiteRequest, state: SiteState): Reply {
  state.sessions.close(request.token);
  return redirect('/login', { 'set-cookie': `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0` });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a path of this site; the catalogue if `next` points elsewhere. */
function safePath(next: string | null | undefined): string {
  const base = 'http://site';
  if (!next?.startsWith('/') || !URL.canParse(next, base)) return '/catalogue';
  const url = new URL(next, base);
  return url.origin === base && url.pathname !== '/logout' ? url.pathname + url.search : '/catalogue';
}

function loginPage({ next, email, hasFailed = false }: { next: string; email: string; hasFailed?: boolean }): Html {
  const content = html`<section class="card login">
    <div class="login-mark">${logo()}</div>
    <h1>Log in</h1>
    <p class="muted">to Harbour Supplies</p>
    ${
      hasFailed
        ? html`<div class="alert" role="alert" id="login-error">E-mail or password is wrong. Please try again.</div>`
        : ''
    }
    <form method="post" action="/login" class="stack">
      <input type="hidden" name="next" value="${next}" />
      <div class="field">
        <label for="email">E-mail</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          required
          value="${email}"
          ${hasFailed ? html`aria-invalid="true" aria-describedby="login-error"` : ''}
        />
      </div>
      <div class="field">
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          ${hasFailed ? html`aria-invalid="true" aria-describedby="login-error"` : ''}
        />
      </div>
      <button class="button primary block" type="submit">Log in</button>
    </form>
    <p class="hint">
      Demo account: <code>${DEMO_ACCOUNT.email}</code> with password <code>${DEMO_ACCOUNT.password}</code>
    </p>
  </section>`;
  return layout({ title: 'Log in', session: null, width: 'narrow', content });
}
