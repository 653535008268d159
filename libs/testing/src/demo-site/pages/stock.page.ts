import { findProduct, stockByDepot, stockState } from '../data/catalogue.data.ts';
import { html } from '../html.ts';
import { json, page, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const stockRoutes: readonly Route[] = [
  { method: 'GET', path: '/stock', shape: 'page', access: 'session', handle: showStock },
  { method: 'GET', path: '/api/stock/:sku', shape: 'data', access: 'session', handle: findStock },
];

function showStock({ session }: MemberRequest): Reply {
  const content = html`<div class="page-head">
      <div>
        <h1>Stock</h1>
        <p class="muted">What lies in Rotterdam, Hamburg and Piraeus right now.</p>
      </div>
    </div>
    <section class="card"><stock-checker></stock-checker></section>
    <p class="hint">
      No SKU at hand? You find it in the <a href="/catalogue">catalogue</a>; try <code>RL-1012</code>.
    </p>`;
  return page(layout({ title: 'Stock', session, section: '/stock', scripts: ['stock.js'], width: 'narrow', content }));
}

function findStock({ params }: MemberRequest): Reply {
  const product = findProduct(params.sku ?? '');
  if (!product) return json({ error: 'We carry no product with this SKU.' }, 404);
  const { sku, name, stock } = product;
  return json({ sku, name, stock, state: stockState(stock).text, depots: stockByDepot(product) });
}
