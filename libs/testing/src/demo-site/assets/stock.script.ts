/** The custom element <stock-checker>, rendered in an open shadow root. */
export const STOCK_SCRIPT = String.raw`
// A constructed style sheet, because the site's content policy allows no inline <style>.
const sheet = new CSSStyleSheet();
sheet.replaceSync(${'`'}
  :host { display: block; }
  form { display: flex; gap: .75rem; align-items: flex-end; flex-wrap: wrap; }
  label { display: grid; gap: .35rem; font-weight: 600; font-size: .9063rem; flex: 1 1 220px; }
  input { font: inherit; font-weight: 400; padding: .58rem .75rem; min-height: 44px; border: 1px solid #b6c6d5; border-radius: 9px; width: 100%; box-sizing: border-box; color: inherit; }
  input:focus-visible { outline: 3px solid rgb(13 148 136 / .25); border-color: #0d9488; }
  button { font: inherit; font-weight: 600; min-height: 44px; padding: 0 1.25rem; border: 0; border-radius: 9px; background: #0b7268; color: #fff; cursor: pointer; }
  button:hover { background: #095e56; }
  [role=status]:not(:empty) { margin-top: 1.5rem; border-top: 1px solid #dbe4ec; padding-top: 1.25rem; }
  h2 { margin: 0 0 .25rem; font-size: 1.1875rem; color: #0b2540; }
  p { margin: 0; color: #5a6f84; }
  ul { display: grid; grid-template-columns: repeat(3, 1fr); gap: .75rem; list-style: none; margin: 1.25rem 0 0; padding: 0; }
  li { background: #f3f7fa; border-radius: 11px; padding: .85rem 1rem; font-size: .875rem; color: #5a6f84; }
  li b { display: block; font-size: 1.375rem; color: #0b2540; font-variant-numeric: tabular-nums; }
  .wrong { color: #b42318; }
${'`'});

function make(name, text, className = '') {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
}

class StockChecker extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = '<form novalidate><label>SKU<input name="sku" autocomplete="off" placeholder="RL-1012"></label>'
      + '<button>Check stock</button></form><div role="status"></div>';
    root.querySelector('form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.check(root.querySelector('input').value.trim());
    });
  }

  async check(sku) {
    const result = this.shadowRoot.querySelector('[role=status]');
    if (!sku) return result.replaceChildren(make('p', 'Enter a SKU.', 'wrong'));
    try {
      const response = await fetch('/api/stock/' + encodeURIComponent(sku));
      const answer = await response.json();
      if (!response.ok) return result.replaceChildren(make('p', answer.error, 'wrong'));
      const depots = document.createElement('ul');
      depots.append(...answer.depots.map(({ depot, quantity }) => {
        const item = make('li', depot);
        item.prepend(make('b', quantity));
        return item;
      }));
      result.replaceChildren(make('h2', answer.name), make('p', answer.state + ': ' + answer.stock + ' in all'), depots);
    } catch {
      result.replaceChildren(make('p', 'The stock could not be read. Please try again.', 'wrong'));
    }
  }
}

customElements.define('stock-checker', StockChecker);
`;
