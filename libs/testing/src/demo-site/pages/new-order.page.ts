import { formatMoney } from '../data/catalogue.data.ts';
import {
  type Order,
  type OrderErrors,
  type OrderFields,
  checkOrder,
  orderTotal,
  readOrderFields,
  readUpload,
} from '../data/orders.data.ts';
import { SPEEDS } from '../data/speeds.data.ts';
import { html } from '../html.ts';
import { json, page, redirect, type Reply } from '../site-responses.ts';
import type { MemberRequest, Route, SiteState } from '../site-route.ts';
import { layout } from '../site-layout.ts';
import { orderForm } from './order-form.page.ts';

export const newOrderRoutes: readonly Route[] = [
  { method: 'GET', path: '/orders/new', shape: 'page', access: 'session', handle: showForm },
  { method: 'POST', path: '/orders/new', shape: 'page', access: 'session', handle: placeOrder },
  { method: 'POST', path: '/api/orders/check', shape: 'data', access: 'session', handle: checkOnly },
];

function showForm(request: MemberRequest): Reply {
  const { query } = request;
  const fields: OrderFields = {
    sku: query.get('sku') ?? '',
    quantity: query.get('quantity') ?? '1',
    date: '',
    speed: 'standard',
    notes: '',
    reference: query.get('reference') ?? '',
    terms: '',
  };
  return formPage(request, fields, {});
}

/** Validates an order before the dialog opens. Changes nothing. */
async function checkOnly(request: MemberRequest, state: SiteState): Promise<Reply> {
  const check = checkOrder(readOrderFields(await request.form()), state.now());
  if (!check.ok) return json({ errors: check.errors });
  const { product, input } = check;
  return json({
    summary: {
      Product: product.name,
      Quantity: `${input.quantity} × ${formatMoney(product.price)}`,
      Delivery: `${input.date}, ${SPEEDS[input.speed].title.toLowerCase()}`,
      Total: formatMoney(orderTotal(product, input.quantity, input.speed)),
    },
  });
}

async function placeOrder(request: MemberRequest, state: SiteState): Promise<Reply> {
  const form = await request.form();
  const fields = readOrderFields(form);
  const file = await readUpload(form, 'purchaseOrder');
  const check = checkOrder(fields, state.now());
  if (!check.ok) {
    if (file) request.record('upload', { ...file, order: null });
    return formPage(request, fields, check.errors, 422);
  }
  const order = state.orders.place(request.session.account.email, check.product, check.input, file);
  if (file) request.record('upload', { ...file, order: order.id });
  request.record('order', orderDetail(order, request));
  return redirect(`/orders/${order.id}`);
}

/** `run` is the header or parameter `x-run` of the client; `reference` is a form field. */
function orderDetail(order: Order, request: MemberRequest): Record<string, unknown> {
  const { id, sku, quantity, date, speed, notes, reference, file, total } = order;
  const run = request.headers['x-run'] ?? request.query.get('x-run');
  return { id, sku, quantity, date, speed, notes, reference, file, total, run };
}

function formPage(request: MemberRequest, fields: OrderFields, errors: OrderErrors, status = 200): Reply {
  const wrong = Object.keys(errors).length;
  const content = html`<div class="page-head"><h1>New order</h1></div>
    <div id="order-alert" role="alert">
      ${wrong > 0 ? html`<p class="alert">Please check the marked fields.</p>` : ''}
    </div>
    ${orderForm(fields, errors)}`;
  const { session } = request;
  return page(
    layout({ title: 'New order', session, section: '/orders', scripts: ['order.js'], width: 'narrow', content }),
    status,
  );
}
