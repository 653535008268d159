/** Validates the order form on the server, shows errors, confirms in a dialog, and then submits once. */
export const ORDER_SCRIPT = String.raw`
const form = document.getElementById('order-form');
const dialog = document.getElementById('confirm');
const alertBox = document.getElementById('order-alert');
const submit = form.querySelector('button[type=submit]');
const confirm = dialog.querySelector('button[value=confirm]');
const file = form.elements.purchaseOrder;
const MAX_FILE = 1.9 * 1024 * 1024;
let confirmed = false;

function showErrors(errors) {
  for (const line of form.querySelectorAll('[data-error-for]')) {
    const name = line.dataset.errorFor;
    line.textContent = errors[name] ?? '';
    const controls = form.querySelectorAll('[name="' + name + '"]');
    for (const control of controls) {
      if (control.type === 'radio') continue;
      if (errors[name]) control.setAttribute('aria-invalid', 'true');
      else control.removeAttribute('aria-invalid');
    }
  }
  const wrong = Object.keys(errors).length > 0;
  say(wrong ? 'Please check the marked fields.' : '');
  if (wrong) form.querySelector('[aria-invalid=true]')?.focus();
}

function say(sentence) {
  const line = document.createElement('p');
  line.className = 'alert';
  line.textContent = sentence;
  alertBox.replaceChildren(...(sentence ? [line] : []));
}

function ask(summary) {
  dialog.querySelector('.summary').replaceChildren(...Object.entries(summary).map(([name, value]) => {
    const row = document.createElement('div');
    const term = document.createElement('dt');
    const text = document.createElement('dd');
    term.textContent = name;
    text.textContent = value;
    row.append(term, text);
    return row;
  }));
  dialog.showModal();
}

async function check() {
  submit.disabled = true;
  try {
    const fields = new FormData(form);
    fields.delete('purchaseOrder');
    const response = await fetch('/api/orders/check', { method: 'POST', body: fields });
    if (response.status === 401) return location.assign('/login?next=/orders/new');
    const answer = await response.json();
    const errors = answer.errors ?? {};
    if (file.files[0]?.size > MAX_FILE) errors.purchaseOrder = 'The file is larger than 2 MB.';
    showErrors(errors);
    if (answer.error) say(answer.error);
    else if (Object.keys(errors).length === 0) ask(answer.summary);
  } catch {
    say('The order could not be checked. Please try again.');
  } finally {
    submit.disabled = false;
  }
}

form.addEventListener('submit', (event) => {
  if (confirmed) return;
  event.preventDefault();
  check();
});
confirm.addEventListener('click', () => {
  if (confirmed) return;
  confirmed = true;
  confirm.disabled = true;
  confirm.textContent = 'Placing order …';
  form.requestSubmit();
});
dialog.querySelector('button[value=cancel]').addEventListener('click', () => dialog.close());
// The browser may restore this page from its back/forward cache.
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
`;
