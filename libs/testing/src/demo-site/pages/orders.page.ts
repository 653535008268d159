import { type Order, csv } from '../data/orders.data.ts';
import { formatMoney } from '../data/catalogue.data.ts';
import { SPEEDS } from '../data/speeds.data.ts';
import { html, type Html } from '../html.ts';
import { delayOf, delayResponse } from '../request-delay.ts';
import { HttpProblem } from '../site-problem.ts';
import { download, page, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route, SiteState } from '../site-route.ts';
import { layout } from '../site-layout.ts';

export const orderRoutes: readonly Route[] = [
  { method: 'GET', path: '/orders', shape: 'page', access: 'session', handle: listOrders },
  { method: 'GET', path: '/orders.csv', shape: 'data', access: 'session', handle: downloadOrders },
  { method: 'GET', path: '/orders/:id', shape: 'page', access: 'session', handle: showOrder },
];

function ordersOf(request: MemberRequest, state: SiteState): Order[] {
  return state.orders.list(request.session.account.email);
}

function listOrders(request: MemberRequest, state: SiteState): Reply {
  const orders = ordersOf(request, state);
  const ms = delayOf(request, 0);
  const file = ms === 0 ? '/orders.csv' : `/orders.csv?ms=${ms}`;
  const content = html`<div class="page-head">
      <div>
        <h1>Orders</h1>
        <p class="muted">${orders.length === 1 ? '1 order' : `${orders.length} orders`}</p>
      </div>
      <div class="actions">
        <a class="button" href="${file}" download>Download CSV</a>
        <a class="button primary" href="/orders/new">New order</a>
      </div>
    </div>
    ${orders.length === 0 ? noOrders() : ordersTable(orders)}`;
  return page(layout({ title: 'Orders', session: request.session, section: '/orders', content }));
}

function noOrders(): Html {
  return html`<div class="card notice">
    <h2>No orders yet</h2>
    <p>What you order appears here. <a href="/orders/new">Place the first order</a>.</p>
  </div>`;
}

function ordersTable(orders: Order[]): Html {
  return html`<div class="card table-card">
    <table class="table" aria-label="Your orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Product</th>
          <th scope="col" class="number">Quantity</th>
          <th scope="col">Delivery</th>
          <th scope="col">Reference</th>
          <th scope="col" class="number">Total</th>
        </tr>
      </thead>
      <tbody>
        ${orders.map(
          (order) =>
            html`<tr>
              <th scope="row" class="code"><a href="/orders/${order.id}">${order.id}</a></th>
              <td>${order.product.name}</td>
              <td class="number" data-label="Quantity">${order.quantity}</td>
              <td data-label="Delivery">${order.date}</td>
              <td data-label="Reference">${order.reference || '–'}</td>
              <td class="number price">${formatMoney(order.total)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function showOrder(request: MemberRequest, state: SiteState): Reply {
  const order = state.orders.find(request.session.account.email, request.params.id ?? '');
  if (!order) throw new HttpProblem(404, 'There is no order with this number.');
  const content = html`<section class="card receipt">
    <p class="receipt-mark" aria-hidden="true">✓</p>
    <h1>Thank you, your order is placed</h1>
    <p>Order number <strong data-testid="order-number">${order.id}</strong></p>
    <dl class="summary">
      <div>
        <dt>Product</dt>
        <dd>${order.product.name} <span class="code">${order.sku}</span></dd>
      </div>
      <div>
        <dt>Quantity</dt>
        <dd>${order.quantity} × ${formatMoney(order.product.price)}</dd>
      </div>
      <div>
        <dt>Delivery</dt>
        <dd><time datetime="${order.date}">${order.date}</time>, ${SPEEDS[order.speed].title.toLowerCase()}</dd>
      </div>
      ${
        order.reference
          ? html`<div>
              <dt>Your reference</dt>
              <dd>${order.reference}</dd>
            </div>`
          : ''
      }
      ${
        order.notes
          ? html`<div>
              <dt>Notes</dt>
              <dd class="notes">${order.notes}</dd>
            </div>`
          : ''
      }
      ${
        order.file
          ? html`<div>
              <dt>Purchase order</dt>
              <dd>${order.file.name} <small>${order.file.size} bytes</small></dd>
            </div>`
          : ''
      }
      <div class="total">
        <dt>Total</dt>
        <dd>${formatMoney(order.total)}</dd>
      </div>
    </dl>
    <p class="actions">
      <a class="button primary" href="/orders">All orders</a>
      <a class="button quiet" href="/catalogue">Back to the catalogue</a>
    </p>
  </section>`;
  return page(
    layout({ title: `Order ${order.id}`, session: request.session, section: '/orders', width: 'narrow', content }),
  );
}

const COLUMNS = [
  'order',
  'sku',
  'product',
  'quantity',
  'delivery',
  'speed',
  'total',
  'currency',
  'reference',
  'notes',
  'placed',
];

/** Delayed by `?ms=`, like the export of a large system. */
async function downloadOrders(request: MemberRequest, state: SiteState): Promise<Reply> {
  await delayResponse(request, 0);
  const orders = ordersOf(request, state);
  request.record('download', { file: 'orders.csv', orders: orders.length });
  const rows = orders.map((order) => [
    order.id,
    order.sku,
    order.product.name,
    String(order.quantity),
    order.date,
    order.speed,
    (order.total / 100).toFixed(2),
    'EUR',
    order.reference,
    order.notes,
    order.placedAt,
  ]);
  return download('orders.csv', 'text/csv; charset=utf-8', csv([COLUMNS, ...rows]));
}
