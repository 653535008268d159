import { css, page, outputIs, type Kind } from './page-kind.ts';

/* Native HTML controls. */

export const native: readonly Kind[] = [
  {
    name: 'form with fields of all kinds',
    by: 'ours',
    html: page(
      `<form onsubmit="event.preventDefault(); say(new URLSearchParams(new FormData(this)))"><label>Name <input name="name"></label><label>Note <textarea name="note"></textarea></label><label>Size <select name="size"><option>S<option>M<option>L</select></label><label><input type="checkbox" name="terms"> Terms</label><label><input type="radio" name="way" value="sea"> By sea</label><button>Send</button></form>`,
    ),
    cases: [
      {
        name: 'type, select, check, click',
        steps: [
          { action: 'fill', target: { label: 'Name' }, text: 'Robin' },
          { action: 'fill', target: { label: 'Note' }, text: 'two\nlines' },
          { action: 'selectOption', target: { label: 'Size' }, option: 'M' },
          { action: 'check', target: { label: 'Terms' } },
          { action: 'check', target: { label: 'By sea' } },
          { action: 'click', target: { role: 'button', name: 'Send' } },
        ],
        then: outputIs('name=Robin&note=two%0Alines&size=M&terms=on&way=sea'),
      },
      {
        name: 'press Enter sends',
        steps: [
          { action: 'fill', target: { label: 'Name' }, text: 'Kim' },
          { action: 'press', key: 'Enter', target: { label: 'Name' } },
        ],
        then: outputIs('name=Kim'),
      },
      {
        name: 'clear',
        steps: [
          { action: 'fill', target: { label: 'Name' }, text: 'Kim' },
          { action: 'clear', target: { label: 'Name' } },
          { action: 'click', target: { text: 'Send' } },
        ],
        then: outputIs('name=&'),
      },
    ],
  },
  {
    name: 'buttons that copy to the clipboard',
    by: 'ours',
    html: page(
      `<input id="a" value="AB-12"><button onclick="navigator.clipboard.writeText(a.value)">Copy code</button><button onclick="a.select(); document.execCommand('copy')">Copy the old way</button><input id="b" oninput="say(value)">`,
    ),
    cases: [
      {
        name: 'click, then paste with keys',
        steps: [
          { action: 'click', target: { role: 'button', name: 'Copy code' } },
          { action: 'readClipboard' },
          { action: 'press', key: 'ControlOrMeta+V', target: css('#b') },
        ],
        then: outputIs('AB-12'),
      },
      {
        name: 'click a button that copies the selection, then paste',
        steps: [
          { action: 'click', target: { text: 'Copy the old way' } },
          { action: 'readClipboard' },
          { action: 'press', key: 'ControlOrMeta+V', target: css('#b') },
        ],
        then: outputIs('AB-12'),
      },
      {
        name: 'write the clipboard, then paste',
        steps: [
          { action: 'writeClipboard', text: 'CD-34' },
          { action: 'press', key: 'ControlOrMeta+V', target: css('#b') },
        ],
        then: outputIs('CD-34'),
      },
    ],
  },
  {
    name: 'native date, time, month, color and range',
    by: 'ours',
    html: page(
      `<input id="d" type="date"><input id="t" type="time"><input id="m" type="month"><input id="c" type="color"><input id="r" type="range"><button onclick="say([d, t, m, c, r].map((one) => one.value))">Read</button>`,
    ),
    cases: [
      {
        name: 'type',
        steps: [
          { action: 'fill', target: css('#d'), text: '2026-11-21' },
          { action: 'fill', target: css('#t'), text: '08:30' },
          { action: 'fill', target: css('#m'), text: '2026-12' },
          { action: 'fill', target: css('#c'), text: '#ff0000' },
          { action: 'fill', target: css('#r'), text: '70' },
          { action: 'click', target: { text: 'Read' } },
        ],
        then: outputIs('2026-11-21,08:30,2026-12,#ff0000,70'),
      },
    ],
  },
  {
    name: 'native select with multiple options',
    by: 'ours',
    html: page(
      `<select multiple onchange="say([...this.selectedOptions].map((one) => one.value))"><option value="a">Tea<option value="b">Coffee<option value="c" selected>Milk</select>`,
    ),
    cases: [
      {
        name: 'select two by label',
        steps: [{ action: 'selectOption', target: css('select'), option: ['Tea', 'Coffee'] }],
        then: outputIs('a,b'),
      },
      {
        name: 'select by index',
        steps: [{ action: 'selectOption', target: css('select'), option: '1', by: 'index' }],
        then: outputIs('b'),
      },
    ],
  },
  {
    name: 'datalist',
    by: 'ours',
    html: page(
      `<input list="l" aria-label="City" onchange="say(this.value)"><datalist id="l"><option value="Bremen"><option value="Brest"></datalist>`,
    ),
    cases: [
      {
        name: 'type',
        steps: [
          { action: 'fill', target: { label: 'City' }, text: 'Brest' },
          { action: 'press', key: 'Tab' },
        ],
        then: outputIs('Brest'),
      },
    ],
  },
  {
    name: 'file field',
    by: 'ours',
    html: page(`<label>Paper <input type="file" hidden onchange="say(this.files[0].name)"></label>`),
    cases: [
      {
        name: 'upload to a hidden field',
        steps: [{ action: 'upload', target: css('[type=file]'), file: 'paper.txt' }],
        then: outputIs('paper.txt'),
      },
    ],
  },
  {
    name: 'button that opens a file chooser',
    by: 'ours',
    html: page(
      `<button onclick="const f = document.createElement('input'); f.type = 'file'; f.onchange = () => say(f.files[0].name); f.click()">Attach</button>`,
    ),
    cases: [
      {
        name: 'upload through the button',
        steps: [{ action: 'upload', target: { text: 'Attach' }, file: 'paper.txt' }],
        then: outputIs('paper.txt'),
      },
    ],
  },
  {
    name: 'modal <dialog>',
    by: 'ours',
    html: page(
      `<button onclick="d.showModal()">Open</button><dialog id="d"><form method="dialog"><label>Why <input></label><button>Close</button></form></dialog><script>d.onclose = () => say('closed')</script>`,
    ),
    cases: [
      {
        name: 'click, type in it, close it',
        steps: [
          { action: 'click', target: { text: 'Open' } },
          { action: 'fill', target: { label: 'Why' }, text: 'x' },
          { action: 'click', target: { role: 'button', name: 'Close', within: { role: 'dialog' } } },
        ],
        then: outputIs('closed'),
      },
    ],
  },
  {
    name: 'HTML popover',
    by: 'ours',
    html: page(
      `<button popovertarget="more">More</button><div id="more" popover><label>Word <input oninput="say(this.value)"></label></div>`,
    ),
    cases: [
      {
        name: 'click, type in it',
        steps: [
          { action: 'click', target: { role: 'button', name: 'More' } },
          { action: 'fill', target: { label: 'Word' }, text: 'inside' },
        ],
        then: outputIs('inside'),
      },
    ],
  },
  {
    name: 'details and summary',
    by: 'ours',
    html: page('<details><summary>More</summary><p>Inside</p></details>'),
    cases: [{ name: 'click', steps: [{ action: 'click', target: { text: 'More' } }], then: { text: 'Inside' } }],
  },
  {
    name: 'alert, confirm, prompt',
    by: 'ours',
    html: page(
      `<button onclick="say(confirm('Sure?'))">Confirm</button><button onclick="say(prompt('Name?'))">Prompt</button><button onclick="alert('Hi'); say('after')">Alert</button>`,
    ),
    cases: [
      { name: 'click past an alert', steps: [{ action: 'click', target: { text: 'Alert' } }], then: outputIs('after') },
      {
        name: 'dialog accept',
        steps: [
          { action: 'handleDialog', accept: true },
          { action: 'click', target: { text: 'Confirm' } },
        ],
        then: outputIs('true'),
      },
      {
        name: 'dialog with an answer',
        steps: [
          { action: 'handleDialog', accept: true, text: 'Robin' },
          { action: 'click', target: { text: 'Prompt' } },
        ],
        then: outputIs('Robin'),
      },
    ],
  },
  {
    name: 'links and history',
    by: 'ours',
    html: page(`<a href="?one">One</a><script>say(location.search || 'start')</script>`),
    cases: [
      {
        name: 'click, back, forward',
        steps: [{ action: 'click', target: { text: 'One' } }, { action: 'goBack' }, { action: 'goForward' }],
        then: outputIs('?one'),
      },
      {
        name: 'back',
        steps: [{ action: 'click', target: { text: 'One' } }, { action: 'goBack' }],
        then: outputIs('start'),
      },
    ],
  },
  {
    name: 'pop-ups and tabs',
    by: 'ours',
    html: page(
      `<button onclick="window.open('?popup', 'x', 'popup')">Pop up</button><a href="?tab" target="_blank">Tab</a><script>say(location.search || 'start')</script>`,
    ),
    cases: [
      {
        name: 'click continues in the pop-up',
        steps: [{ action: 'click', target: { text: 'Pop up' } }],
        then: outputIs('?popup'),
      },
      {
        name: 'switchTab and closeTab',
        steps: [
          { action: 'click', target: { text: 'Tab' } },
          { action: 'switchTab', index: 0 },
          { action: 'click', target: { text: 'Pop up' } },
          { action: 'switchTab', url: '?tab' },
          { action: 'closeTab' },
          { action: 'closeTab', url: '?popup' },
        ],
        then: outputIs('start'),
      },
    ],
  },
  {
    name: 'table over several pages',
    by: 'ours',
    html: page(
      `<table><thead><tr><th>Item<th>Price</thead><tbody></tbody></table><button id="n" onclick="show(2); this.disabled = true">Next</button><script>const show = (p) => { document.querySelector('tbody').innerHTML = [1, 2].map((i) => '<tr><td>Item ' + p + i + '<td>€ ' + p + ',50').join(''); }; show(1)</script>`,
    ),
    cases: [
      {
        name: 'extract table with next',
        steps: [
          {
            action: 'extract',
            target: { role: 'table' },
            table: { columns: { item: 'Item' }, next: { text: 'Next' } },
          },
        ],
        then: { text: 'Item 22' },
      },
    ],
  },
  {
    name: 'image map',
    by: 'ours',
    html: page(
      `<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/%3E" width="200" height="100" usemap="#m" alt="Harbour"><map name="m"><area shape="rect" coords="100,0,200,100" href="#quay" alt="Quay" onclick="say('quay')"></map>`,
    ),
    cases: [
      {
        name: 'click a point',
        steps: [{ action: 'click', target: { point: { x: (158 / 1280) * 1000, y: (90 / 800) * 1000 } } }],
        then: outputIs('quay'),
      },
    ],
  },
  {
    name: 'editable content',
    by: 'ours',
    html: page(
      `<div contenteditable id="e" style="min-height:40px">Old</div><button onclick="say(e.innerText)">Read</button>`,
    ),
    cases: [
      {
        name: 'type',
        steps: [
          { action: 'fill', target: css('#e'), text: 'New words' },
          { action: 'click', target: { text: 'Read' } },
        ],
        then: outputIs('New words'),
      },
      {
        name: 'append with keys, press a shortcut',
        steps: [
          { action: 'fill', target: css('#e'), text: ' and new', append: true },
          { action: 'press', key: 'ControlOrMeta+A' },
          { action: 'press', key: 'ControlOrMeta+B' },
          { action: 'click', target: { text: 'Read' } },
        ],
        then: { visible: { css: '#e b, #e [style*=bold]', hasText: 'Old and new' } },
      },
    ],
  },
];
