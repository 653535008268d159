/** Autocomplete of the search field: the ARIA combobox pattern with a listbox popup. */
export const CATALOGUE_SCRIPT = String.raw`
const input = document.querySelector('[role=combobox]');
const list = document.getElementById('suggestions');
const count = document.getElementById('suggestion-count');
let timer, request, active = -1;

function options() { return [...list.children]; }

function close() {
  clearTimeout(timer);
  request?.abort();
  list.hidden = true;
  active = -1;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}

function mark(text, words) {
  const span = document.createElement('span');
  const lower = text.toLowerCase();
  let from = 0;
  const hits = words.map((word) => [lower.indexOf(word), word.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
  for (const [at, length] of hits) {
    if (at < from) continue;
    const hit = document.createElement('mark');
    hit.textContent = text.slice(at, at + length);
    span.append(text.slice(from, at), hit);
    from = at + length;
  }
  span.append(text.slice(from));
  return span;
}

function show(suggestions) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren(...suggestions.map(({ sku, name }, index) => {
    const item = document.createElement('li');
    item.setAttribute('role', 'option');
    item.setAttribute('aria-selected', 'false');
    item.id = 'suggestion-' + index;
    item.dataset.value = name;
    const code = document.createElement('span');
    code.className = 'code';
    code.textContent = sku;
    item.append(mark(name, words), ' ', code);
    return item;
  }));
  active = -1;
  input.removeAttribute('aria-activedescendant');
  list.hidden = suggestions.length === 0;
  input.setAttribute('aria-expanded', String(!list.hidden));
  count.textContent = suggestions.length === 1 ? '1 suggestion' : suggestions.length + ' suggestions';
}

async function suggest() {
  request?.abort();
  request = new AbortController();
  try {
    const response = await fetch('/api/suggest?q=' + encodeURIComponent(input.value), { signal: request.signal });
    if (response.ok) show((await response.json()).suggestions);
  } catch (error) {
    if (error.name !== 'AbortError') close();
  }
}

function move(step) {
  const items = options();
  if (items.length === 0) return;
  active = (active + step + items.length) % items.length;
  items.forEach((item, index) => item.setAttribute('aria-selected', String(index === active)));
  input.setAttribute('aria-activedescendant', items[active].id);
}

function choose(item) {
  input.value = item.dataset.value;
  close();
  input.form.requestSubmit();
}

input.addEventListener('input', () => {
  clearTimeout(timer);
  if (input.value.trim() === '') return close();
  timer = setTimeout(suggest, 150);
});
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return close();
  if (list.hidden) return;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1);
  }
  if (event.key === 'Enter' && active >= 0) {
    event.preventDefault();
    choose(options()[active]);
  }
});
input.addEventListener('blur', close);
input.form.addEventListener('submit', close);
// Otherwise the field loses focus and the list closes before the click.
list.addEventListener('mousedown', (event) => event.preventDefault());
list.addEventListener('click', (event) => {
  const item = event.target.closest('[role=option]');
  if (item) choose(item);
});
`;
