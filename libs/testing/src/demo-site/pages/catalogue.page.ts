import { cataloguePage, formatMoney, searchProducts, stockState, type CataloguePage } from '../data/catalogue.data.ts';
import type { Product } from '../data/products.data.ts';
import { html, type Html } from '../html.ts';
import { json, page, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const catalogueRoutes: readonly Route[] = [
  { method: 'GET', path: '/catalogue', shape: 'page', access: 'session', handle: showCatalogue },
  { method: 'GET', path: '/api/suggest', shape: 'data', access: 'session', handle: suggest },
];

const SUGGESTIONS = 7;

function showCatalogue(request: MemberRequest): Reply {
  const query = (request.query.get('q') ?? '').trim();
  const requestedPage = Number(request.query.get('page') ?? '1');
  const result = cataloguePage(query, Number.isInteger(requestedPage) ? requestedPage : 1);
  if (query) request.record('search', { source: 'page', q: query, page: result.page, results: result.total });
  return page(catalogue(request, query, result));
}

function suggest(request: MemberRequest): Reply {
  const query = (request.query.get('q') ?? '').trim();
  const products = query ? searchProducts(query) : [];
  request.record('search', { source: 'suggest', q: query, results: products.length });
  const suggestions = products.slice(0, SUGGESTIONS).map(({ sku, name, category }) => ({ sku, name, category }));
  return json({ suggestions });
}

function catalogue({ session }: MemberRequest, query: string, result: CataloguePage): Html {
  const content = html`<div class="page-head">
      <div>
        <h1>Catalogue</h1>
        <p class="muted" data-testid="result-count">${countText(query, result.total)}</p>
      </div>
      <a class="button primary" href="/orders/new">New order</a>
    </div>
    ${searchForm(query)} ${result.total === 0 ? noResult(query) : html`${table(result.items)} ${pager(query, result)}`}`;
  return layout({ title: 'Catalogue', session, section: '/catalogue', scripts: ['catalogue.js'], content });
}

function countText(query: string, total: number): string {
  const products = total === 1 ? '1 product' : `${total} products`;
  return query ? `${products} for “${query}”` : products;
}

function searchForm(query: string): Html {
  return html`<form class="search" role="search" method="get" action="/catalogue" aria-label="Products">
    <div class="combo">
      <input
        name="q"
        type="text"
        role="combobox"
        aria-label="Search products"
        aria-autocomplete="list"
        aria-expanded="false"
        aria-controls="suggestions"
        autocomplete="off"
        spellcheck="false"
        placeholder="Name, SKU or category"
        value="${query}"
      />
      <ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
      <span class="sr-only" role="status" id="suggestion-count"></span>
    </div>
    <button class="button" type="submit">Search</button>
    ${query ? html`<a class="clear" href="/catalogue">Clear</a>` : ''}
  </form>`;
}

function table(products: Product[]): Html {
  return html`<div class="card table-card">
    <table class="table" id="products">
      <caption class="sr-only">
        Products
      </caption>
      <thead>
        <tr>
          <th scope="col">SKU</th>
          <th scope="col">Product</th>
          <th scope="col">Category</th>
          <th scope="col" class="number">Unit price</th>
          <th scope="col" class="number">Stock</th>
        </tr>
      </thead>
      <tbody>
        ${products.map(productRow)}
      </tbody>
    </table>
  </div>`;
}

function productRow(product: Product): Html {
  const { tone, text } = stockState(product.stock);
  return html`<tr data-sku="${product.sku}">
    <td class="code">${product.sku}</td>
    <th scope="row"><a href="/products/${product.sku}">${product.name}</a></th>
    <td class="category">${product.category}</td>
    <td class="number price">${formatMoney(product.price)}</td>
    <td class="number stock stock-${tone}"><span class="dot" title="${text}"></span>${product.stock}</td>
  </tr>`;
}

function pager(query: string, { page: current, pages }: CataloguePage): Html {
  const pageUrl = (page: number) =>
    `/catalogue?${new URLSearchParams({ ...(query ? { q: query } : {}), page: String(page) })}`;
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  return html`<nav class="pager" aria-label="Pages">
    <span data-testid="page-of">Page ${current} of ${pages}</span>
    <ul>
      ${current > 1 ? html`<li><a rel="prev" href="${pageUrl(current - 1)}">Previous</a></li>` : ''}
      ${numbers.map((number) =>
        number === current
          ? html`<li><a href="${pageUrl(number)}" aria-current="page" aria-label="Page ${number}">${number}</a></li>`
          : html`<li><a href="${pageUrl(number)}" aria-label="Page ${number}">${number}</a></li>`,
      )}
      ${current < pages ? html`<li><a rel="next" href="${pageUrl(current + 1)}">Next</a></li>` : ''}
    </ul>
  </nav>`;
}

function noResult(query: string): Html {
  return html`<div class="card notice" data-testid="no-results">
    <h2>Nothing found for “${query}”</h2>
    <p>Try a shorter word, a SKU such as <code>RL-1012</code>, or <a href="/catalogue">see the whole catalogue</a>.</p>
  </div>`;
}
