import { productsByCategory } from '../data/catalogue.data.ts';
import { PRODUCTS } from '../data/products.data.ts';
import { quay, sign } from '../drawings.ts';
import { html, type Html } from '../html.ts';
import { json, page } from '../site-responses.ts';
import type { Route, SiteRequest } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const homeRoutes: readonly Route[] = [
  { method: 'GET', path: '/', shape: 'page', access: 'public', handle: (request) => page(home(request)) },
  { method: 'GET', path: '/healthz', shape: 'data', access: 'public', handle: () => json({ status: 'ok' }) },
];

function home({ session }: SiteRequest): Html {
  const content = html`<section class="hero">
      <div class="hero-text">
        <p class="eyebrow">The supplier portal for ships</p>
        <h1>Everything a vessel needs, on the quay before she sails.</h1>
        <p class="lead">
          Rope, chain, safety gear and provisions from three depots. Look up a price, check the stock, place the order:
          one portal for agents and crews.
        </p>
        <p class="actions">
          ${
            session
              ? html`<a class="button primary" href="/catalogue">Open the catalogue</a>`
              : html`<a class="button primary" href="/login">Log in to order</a>`
          }
          <a class="button ghost" href="#ranges">What we carry</a>
        </p>
        <dl class="facts">
          <div>
            <dt>Products</dt>
            <dd>${PRODUCTS.length}</dd>
          </div>
          <div>
            <dt>Depots</dt>
            <dd>3</dd>
          </div>
          <div>
            <dt>Order by</dt>
            <dd>16:00</dd>
          </div>
        </dl>
      </div>
      ${quay()}
    </section>
    <section id="ranges" class="ranges" aria-labelledby="ranges-title">
      <h2 id="ranges-title">What we carry</h2>
      <ul class="tiles">
        ${productsByCategory().map(
          ([category, products]) =>
            html`<li>
              <a class="tile" href="/catalogue?q=${encodeURIComponent(category)}">
                ${sign(category)}<span><b>${category}</b><small>${products.length} products</small></span>
              </a>
            </li>`,
        )}
      </ul>
    </section>`;
  return layout({ title: 'Welcome', session, width: 'wide', content });
}
