import { css, page, outputIs, type Kind } from './page-kind.ts';

/* Widgets as the WAI-ARIA Authoring Practices describe them: roles, states, and keys. */

const options = ['Apple', 'Banana', 'Cherry']
  .map((name) => `<li role="option" aria-selected="false" id="o-${name}">${name}</li>`)
  .join('');

const box = (role: string, name: string) =>
  `<div role="${role}" aria-checked="false" tabindex="0" onclick="const on = this.getAttribute('aria-checked') !== 'true'; this.setAttribute('aria-checked', on); say(on)">${name}</div>`;

const choosing = `document.querySelector('[role=listbox]')`;

export const patterns: readonly Kind[] = [
  {
    name: 'checkbox and switch',
    by: 'pattern',
    html: page(box('checkbox', 'Lettuce') + box('switch', 'Lights')),
    cases: [
      {
        name: 'check',
        steps: [{ action: 'check', target: { role: 'checkbox', name: 'Lettuce' } }],
        then: outputIs('true'),
      },
      {
        name: 'check, uncheck',
        steps: [
          { action: 'check', target: { role: 'switch' } },
          { action: 'uncheck', target: { role: 'switch' } },
        ],
        then: outputIs('false'),
      },
    ],
  },
  {
    name: 'radio group',
    by: 'pattern',
    html: page(
      `<div role="radiogroup" aria-label="Crust">${['Thin', 'Thick'].map((name, index) => `<div role="radio" aria-checked="false" tabindex="${index - 1}" onclick="for (const one of this.parentNode.children) one.setAttribute('aria-checked', one === this); say(this.textContent)">${name}</div>`).join('')}</div>`,
    ),
    cases: [
      {
        name: 'check',
        steps: [{ action: 'check', target: { role: 'radio', name: 'Thick' } }],
        then: outputIs('Thick'),
      },
    ],
  },
  {
    name: 'listbox with multiple selection',
    by: 'pattern',
    html: page(
      `<ul role="listbox" aria-multiselectable="true" aria-label="Fruit" tabindex="0">${options}</ul><script>${choosing}.onclick = ({ target }) => { target.setAttribute('aria-selected', target.getAttribute('aria-selected') !== 'true'); say([...document.querySelectorAll('[aria-selected=true]')].map((one) => one.textContent)); }</script>`,
    ),
    cases: [
      {
        name: 'select two',
        steps: [{ action: 'selectOption', target: { role: 'listbox' }, option: ['Apple', 'Cherry'] }],
        then: outputIs('Apple,Cherry'),
      },
    ],
  },
  {
    name: 'select-only combobox',
    by: 'pattern',
    html: page(
      `<div role="combobox" tabindex="0" aria-label="Fruit" aria-haspopup="listbox" aria-expanded="false" aria-controls="l" id="c">Choose</div><ul role="listbox" id="l" hidden>${options}</ul><script>c.onclick = () => { l.hidden = !l.hidden; c.setAttribute('aria-expanded', !l.hidden); }; l.onclick = ({ target }) => { c.textContent = target.textContent; say(target.textContent); c.click(); }</script>`,
    ),
    cases: [
      {
        name: 'select',
        steps: [{ action: 'selectOption', target: { role: 'combobox' }, option: 'Banana' }],
        then: outputIs('Banana'),
      },
    ],
  },
  {
    name: 'combobox with autocomplete',
    by: 'pattern',
    html: page(
      `<input role="combobox" aria-label="Fruit" aria-expanded="false" aria-controls="l" aria-autocomplete="list" id="c"><ul role="listbox" id="l" hidden>${options}</ul><script>c.oninput = () => setTimeout(() => { for (const one of l.children) one.hidden = !one.textContent.toLowerCase().startsWith(c.value.toLowerCase()); l.hidden = c.value === ''; c.setAttribute('aria-expanded', !l.hidden); }, 150); l.onclick = ({ target }) => { c.value = target.textContent; l.hidden = true; c.setAttribute('aria-expanded', false); say(c.value); }</script>`,
    ),
    cases: [
      {
        name: 'select types to show hidden options',
        steps: [{ action: 'selectOption', target: { role: 'combobox' }, option: 'Cherry' }],
        then: outputIs('Cherry'),
      },
      {
        name: 'type, click',
        steps: [
          { action: 'fill', target: { role: 'combobox' }, text: 'ba' },
          { action: 'click', target: { role: 'option', name: 'Banana' } },
        ],
        then: outputIs('Banana'),
      },
    ],
  },
  {
    name: 'menu button',
    by: 'pattern',
    html: page(
      `<button aria-haspopup="menu" aria-expanded="false" id="b">Actions</button><ul role="menu" hidden id="m">${['Copy', 'Delete'].map((name) => `<li role="menuitem" tabindex="-1" onclick="say('${name}'); m.hidden = true">${name}</li>`).join('')}</ul><script>b.onclick = () => { m.hidden = false; m.firstChild.focus(); }; m.onkeydown = (e) => { if (e.key === 'ArrowDown') document.activeElement.nextElementSibling.focus(); if (e.key === 'Enter') document.activeElement.click(); }</script>`,
    ),
    cases: [
      {
        name: 'click, click',
        steps: [
          { action: 'click', target: { role: 'button', name: 'Actions' } },
          { action: 'click', target: { role: 'menuitem', name: 'Delete' } },
        ],
        then: outputIs('Delete'),
      },
      {
        name: 'with keys',
        steps: [
          { action: 'click', target: { role: 'button', name: 'Actions' } },
          { action: 'press', key: 'ArrowDown' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('Delete'),
      },
    ],
  },
  {
    name: 'tabs',
    by: 'pattern',
    html: page(
      `<div role="tablist">${['One', 'Two'].map((name) => `<button role="tab" aria-selected="false" onclick="say('${name}')">${name}</button>`).join('')}</div>`,
    ),
    cases: [
      { name: 'click', steps: [{ action: 'click', target: { role: 'tab', name: 'Two' } }], then: outputIs('Two') },
    ],
  },
  {
    name: 'tree view',
    by: 'pattern',
    html: page(
      `<ul role="tree"><li role="treeitem" aria-expanded="false" tabindex="0" id="d"><span onclick="d.setAttribute('aria-expanded', true); g.hidden = false">Docs</span><ul role="group" id="g" hidden><li role="treeitem" tabindex="-1" onclick="say('opened')">Letter</li></ul></li></ul>`,
    ),
    cases: [
      {
        name: 'click to open, click',
        steps: [
          { action: 'click', target: { text: 'Docs' } },
          { action: 'click', target: { role: 'treeitem', name: 'Letter', exact: true } },
        ],
        then: outputIs('opened'),
      },
    ],
  },
  {
    name: 'slider with keys',
    by: 'pattern',
    html: page(
      `<div role="slider" tabindex="0" aria-label="Volume" aria-valuenow="5" style="width:100px;height:20px;background:#ccc" onkeydown="if (event.key === 'ArrowRight') { this.ariaValueNow = Number(this.ariaValueNow) + 1; say(this.ariaValueNow); }"></div>`,
    ),
    cases: [
      {
        name: 'press three times',
        steps: [{ action: 'press', key: 'ArrowRight', target: { role: 'slider' }, times: 3 }],
        then: outputIs('8'),
      },
    ],
  },
  {
    name: 'grid',
    by: 'pattern',
    html: page(
      `<div role="grid">${[1, 2].map((row) => `<div role="row">${['a', 'b'].map((column) => `<span role="gridcell" tabindex="-1" onclick="say('${column}${row}')">${column}${row}</span>`).join('')}</div>`).join('')}</div>`,
    ),
    cases: [
      {
        name: 'click a cell of a row',
        steps: [{ action: 'click', target: { role: 'gridcell', name: 'b', within: { role: 'row', nth: 1 } } }],
        then: outputIs('b2'),
      },
    ],
  },
  {
    name: 'ARIA modal dialog',
    by: 'pattern',
    html: page(
      `<button id="o" onclick="d.hidden = false">Open</button><div role="dialog" aria-modal="true" aria-label="Sure" id="d" hidden style="position:fixed;inset:100px;background:#fff;border:1px solid"><button onclick="say('yes'); d.hidden = true">Yes</button></div><script>onkeydown = (e) => { if (e.key === 'Escape') { d.hidden = true; say('escaped'); } }</script>`,
    ),
    cases: [
      {
        name: 'click within',
        steps: [
          { action: 'click', target: css('#o') },
          { action: 'click', target: { role: 'button', name: 'Yes', within: { role: 'dialog' } } },
        ],
        then: outputIs('yes'),
      },
      {
        name: 'press Escape',
        steps: [
          { action: 'click', target: css('#o') },
          { action: 'press', key: 'Escape' },
        ],
        then: outputIs('escaped'),
      },
    ],
  },
];
