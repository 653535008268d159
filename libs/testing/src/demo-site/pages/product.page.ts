import { findProduct, formatMoney, stockByDepot, stockState } from '../data/catalogue.data.ts';
import type { Product } from '../data/products.data.ts';
import { sign } from '../drawings.ts';
import { html, type Html } from '../html.ts';
import { HttpProblem } from '../site-problem.ts';
import { page, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const productRoutes: readonly Route[] = [
  { method: 'GET', path: '/products/:sku', shape: 'page', access: 'session', handle: showProduct },
];

function showProduct(request: MemberRequest): Reply {
  const product = findProduct(request.params.sku ?? '');
  if (!product) throw new HttpProblem(404, 'We carry no product with this SKU.');
  const content = html`<nav class="crumbs" aria-label="Breadcrumb">
      <a href="/catalogue">Catalogue</a> <span aria-hidden="true">/</span>
      <a href="/catalogue?q=${encodeURIComponent(product.category)}">${product.category}</a>
    </nav>
    <article class="product">
      <div class="card product-sign">${sign(product.category)}</div>
      ${detail(product)}
    </article>`;
  return page(layout({ title: product.name, session: request.session, section: '/catalogue', content }));
}

function detail(product: Product): Html {
  const { tone, text } = stockState(product.stock);
  return html`<div class="product-text">
    <p class="code" data-testid="product-sku">${product.sku}</p>
    <h1>${product.name}</h1>
    <p class="lead">${product.description}</p>
    <p class="product-price">
      <span data-testid="unit-price">${formatMoney(product.price)}</span>
      <small>per ${product.unit.replace(/^each$/, 'piece')}</small>
    </p>
    <p class="badge badge-${tone}">${text}${product.stock > 0 ? ` · ${product.stock}` : ''}</p>
    <form class="buy" method="get" action="/orders/new">
      <input type="hidden" name="sku" value="${product.sku}" />
      <label for="buy-quantity">Quantity</label>
      <input id="buy-quantity" name="quantity" type="number" min="1" max="500" value="1" required />
      <button class="button primary">Add to order</button>
    </form>
    <dl class="facts facts-product">
      <div>
        <dt>Sold by</dt>
        <dd>${product.unit}</dd>
      </div>
      <div>
        <dt>Lead time</dt>
        <dd>${product.leadDays} days</dd>
      </div>
      ${stockByDepot(product).map(
        ({ depot, quantity }) =>
          html`<div>
            <dt>${depot}</dt>
            <dd>${quantity}</dd>
          </div>`,
      )}
    </dl>
  </div>`;
}
