/** Behavior of the widget gallery. Each widget writes its events to "Last event". */
export const WIDGETS_SCRIPT = String.raw`
const byId = (id) => document.getElementById(id);
const say = (text) => { byId('last-event').textContent = text; };

byId('gallery').addEventListener('change', ({ target }) => {
  if (!target.name) return;
  const value = target.type === 'checkbox' ? target.checked
    : target.type === 'password' ? '•'.repeat(target.value.length)
    : target.type === 'file' ? [...target.files].map((file) => file.name).join(', ')
    : target.multiple ? [...target.selectedOptions].map((option) => option.value).join(', ')
    : target.value;
  say(target.name + ' = ' + value);
});

let counted = 0;
byId('w-count').addEventListener('click', () => { byId('w-counted').textContent = String(++counted); say('counted ' + counted); });
byId('w-double').addEventListener('dblclick', () => say('double click'));
byId('w-context').addEventListener('contextmenu', (event) => { event.preventDefault(); say('right click'); });
byId('w-alert').addEventListener('click', () => say('answered ' + window.confirm('Weigh anchor?')));
document.querySelector('[aria-label="Sound the horn"]').addEventListener('click', () => say('horn'));
document.querySelector('.rich').addEventListener('input', (event) => say('log entry = ' + event.currentTarget.textContent));

byId('w-switch').addEventListener('click', ({ currentTarget }) => {
  const on = currentTarget.getAttribute('aria-checked') !== 'true';
  currentTarget.setAttribute('aria-checked', String(on));
  say('night work ' + (on ? 'on' : 'off'));
});

const dialog = byId('w-dialog');
byId('w-dialog-open').addEventListener('click', () => dialog.showModal());
dialog.addEventListener('click', ({ target }) => { if (target.value) dialog.close(target.value); });
dialog.addEventListener('close', () => say('dialog: ' + (dialog.returnValue || 'dismissed')));

const menuButton = byId('w-menu');
const menu = menuButton.nextElementSibling;
function openMenu(open) {
  menu.hidden = !open;
  menuButton.setAttribute('aria-expanded', String(open));
}
menuButton.addEventListener('click', () => { openMenu(menu.hidden); if (!menu.hidden) menu.firstElementChild.focus(); });
menu.addEventListener('click', ({ target }) => { say('menu: ' + target.textContent); openMenu(false); });
menu.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') { openMenu(false); menuButton.focus(); }
  if (event.key === 'Enter') event.target.click();
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
  if (step) { event.preventDefault(); event.target[step]?.focus(); }
});

for (const tab of document.querySelectorAll('[role=tab]')) {
  tab.addEventListener('click', () => {
    for (const other of document.querySelectorAll('[role=tab]')) {
      other.setAttribute('aria-selected', String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
      byId(other.getAttribute('aria-controls')).hidden = other !== tab;
    }
    say('tab: ' + tab.textContent);
  });
}

byId('w-drag').addEventListener('dragstart', (event) => event.dataTransfer.setData('text/plain', 'crate'));
byId('w-drop').addEventListener('dragover', (event) => event.preventDefault());
byId('w-drop').addEventListener('drop', (event) => {
  event.preventDefault();
  event.currentTarget.textContent = 'Stowed: ' + event.dataTransfer.getData('text/plain');
  say('dropped ' + event.dataTransfer.getData('text/plain'));
});

const shadowSheet = new CSSStyleSheet();
shadowSheet.replaceSync('button { font: inherit; font-weight: 600; padding: .6rem 1.1rem; border: 1px solid #bccbd9; border-radius: 9px; background: #fff; color: inherit; cursor: pointer }');
customElements.define('gallery-counter', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [shadowSheet];
    root.innerHTML = '<button type="button">In the shadow: <b>0</b></button>';
    let clicks = 0;
    root.querySelector('button').addEventListener('click', () => {
      root.querySelector('b').textContent = String(++clicks);
      say('shadow ' + clicks);
    });
  }
});
`;
