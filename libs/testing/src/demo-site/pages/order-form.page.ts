import { formatMoney, productsByCategory } from '../data/catalogue.data.ts';
import type { OrderErrors, OrderFields } from '../data/orders.data.ts';
import { SPEEDS } from '../data/speeds.data.ts';
import { html, type Html } from '../html.ts';

/** The order form with submitted values and errors, and the confirmation dialog. */
export function orderForm(fields: OrderFields, errors: OrderErrors): Html {
  return html`<form
      id="order-form"
      class="card form-card"
      method="post"
      action="/orders/new"
      enctype="multipart/form-data"
      novalidate
    >
      <fieldset>
        <legend>What</legend>
        <div class="row">
          ${field('sku', 'Product', productSelect(fields.sku, errors), errors, 'grow')}
          ${field(
            'quantity',
            'Quantity',
            html`<input
              id="quantity"
              name="quantity"
              type="number"
              min="1"
              max="500"
              step="1"
              value="${fields.quantity}"
              ${state('quantity', errors)}
            />`,
            errors,
          )}
        </div>
      </fieldset>
      <fieldset>
        <legend>Delivery</legend>
        <div class="row">
          ${field('date', 'Delivery date', html`<input id="date" name="date" type="date" value="${fields.date}" ${state('date', errors)} />`, errors)}
          ${field(
            'reference',
            html`Your reference <small>optional</small>`,
            html`<input
              id="reference"
              name="reference"
              type="text"
              maxlength="60"
              autocomplete="off"
              value="${fields.reference}"
              ${state('reference', errors)}
            />`,
            errors,
            'grow',
          )}
        </div>
        ${speedChoice(fields.speed, errors)}
      </fieldset>
      <fieldset>
        <legend>Papers</legend>
        ${field(
          'notes',
          html`Notes for the depot <small>optional</small>`,
          html`<textarea id="notes" name="notes" rows="3" ${state('notes', errors)}>${fields.notes}</textarea>`,
          errors,
        )}
        <div class="field">
          <label for="purchase-order">Purchase order <small>optional, PDF or image, up to 2 MB</small></label>
          <input id="purchase-order" name="purchaseOrder" type="file" />
          <p class="error" data-error-for="purchaseOrder" id="purchaseOrder-error"></p>
        </div>
      </fieldset>
      <div class="field">
        <label class="check"
          ><input
            type="checkbox"
            name="terms"
            value="accepted"
            ${fields.terms === 'accepted' ? html` checked` : ''}${state('terms', errors)}
          />
          <span>I accept the terms of supply</span></label
        >
        ${errorLine('terms', errors)}
      </div>
      <div class="actions">
        <button class="button primary" type="submit">Place order</button>
        <a class="button quiet" href="/catalogue">Cancel</a>
      </div>
    </form>
    ${confirmDialog()}`;
}

function field(name: keyof OrderErrors, label: Html | string, control: Html, errors: OrderErrors, grow = ''): Html {
  const id = name === 'sku' ? 'product-select' : name;
  return html`<div class="field ${grow}"><label for="${id}">${label}</label>${control}${errorLine(name, errors)}</div>`;
}

/** Also rendered when empty, so that the script can fill it. */
function errorLine(name: keyof OrderErrors, errors: OrderErrors): Html {
  return html`<p class="error" data-error-for="${name}" id="${name}-error">${errors[name] ?? ''}</p>`;
}

function state(name: keyof OrderErrors, errors: OrderErrors): Html {
  return html` aria-describedby="${name}-error"${errors[name] ? html` aria-invalid="true"` : ''}`;
}

function productSelect(selected: string, errors: OrderErrors): Html {
  return html`<select id="product-select" name="sku" ${state('sku', errors)}>
    <option value="">Choose a product</option>
    ${productsByCategory().map(
      ([category, products]) =>
        html`<optgroup label="${category}">
          ${products.map(
            ({ sku, name }) =>
              html`<option value="${sku}" ${sku === selected ? html` selected` : ''}>${name} (${sku})</option>`,
          )}
        </optgroup>`,
    )}
  </select>`;
}

function speedChoice(selected: string, errors: OrderErrors): Html {
  return html`<div class="field" role="radiogroup" aria-labelledby="speed-title" aria-describedby="speed-error">
    <span class="label" id="speed-title">Delivery speed</span>
    <div class="choices">
      ${Object.entries(SPEEDS).map(
        ([value, { title, hint, price }]) =>
          html`<label class="choice">
            <input
              type="radio"
              name="speed"
              value="${value}"
              aria-label="${title}"
              ${value === selected ? html` checked` : ''}
            />
            <span><b>${title}</b><small>${hint}</small></span>
            <em>${price === 0 ? 'free' : formatMoney(price)}</em>
          </label>`,
      )}
    </div>
    ${errorLine('speed', errors)}
  </div>`;
}

function confirmDialog(): Html {
  return html`<dialog id="confirm" aria-labelledby="confirm-title">
    <h2 id="confirm-title">Place order?</h2>
    <dl class="summary" data-testid="order-summary"></dl>
    <div class="actions">
      <button class="button primary" type="button" value="confirm">Confirm</button>
      <button class="button quiet" type="button" value="cancel">Cancel</button>
    </div>
  </dialog>`;
}
