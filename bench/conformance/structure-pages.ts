import { css, page, outputIs, type Kind } from './page-kind.ts';

/* Structures that scripts create: frames, shadow roots, virtual lists, drag and drop, canvas. */

const shadow = (mode: 'open' | 'closed') =>
  `<x-card></x-card><script>customElements.define('x-inner', class extends HTMLElement { connectedCallback() { const root = this.attachShadow({mode: '${mode}'}); root.innerHTML = '<button>Deep</button><input aria-label="Deep field">'; root.querySelector('button').onclick = () => say('deep'); root.querySelector('input').oninput = (e) => say(e.target.value); } });
  customElements.define('x-card', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<x-inner></x-inner>'; } });</script>`;

const inner = (reportScript: string) =>
  `<button onclick="${reportScript}">Inner</button><input aria-label="Inner field" oninput="this.nextElementSibling.textContent = this.value"><b></b>`;

const bigList = `<div id="list" style="height:300px;overflow:auto;position:relative"><div style="height:240000px"></div></div><script>const list = document.getElementById('list'); const draw = () => { for (const old of list.querySelectorAll('.row')) old.remove(); const from = Math.floor(list.scrollTop / 24); for (let n = from; n < from + 14; n += 1) { const one = document.createElement('div'); one.className = 'row'; one.style.cssText = 'position:absolute;height:24px;top:' + n * 24 + 'px'; one.textContent = 'Row ' + n; one.onclick = () => say('row ' + n); list.append(one); } }; list.onscroll = draw; draw()</script>`;

const board = `<style>.col { float: left; width: 200px; min-height: 200px; background: #eee; margin: 8px } .card { background: #fff; margin: 4px; height: 30px }</style><div class="col" id="todo">To do<div class="card" id="a" draggable="true">Card A</div><div class="card" draggable="true">Card B</div></div><div class="col" id="done">Done</div><script>let held; document.ondragstart = (e) => { held = e.target; e.dataTransfer.setData('text/plain', held.id); }; for (const col of document.querySelectorAll('.col')) { col.ondragover = (e) => e.preventDefault(); col.ondrop = (e) => { e.preventDefault(); col.append(held); say(held.textContent + ' in ' + col.id); }; }</script>`;

const pointerBoard = `<div id="knob" style="position:absolute;left:50px;top:200px;width:50px;height:50px;background:#ccc;touch-action:none">Knob</div><div id="bin" style="position:absolute;left:500px;top:300px;width:120px;height:120px;background:#fee">Bin</div><script>let from = null; knob.onpointerdown = (e) => { from = { x: e.offsetX, y: e.offsetY }; knob.setPointerCapture(e.pointerId); }; knob.onpointermove = (e) => { if (from) { knob.style.left = e.clientX - from.x + 'px'; knob.style.top = e.clientY - from.y + 'px'; } }; knob.onpointerup = (e) => { from = null; const r = bin.getBoundingClientRect(); say(e.clientX > r.left && e.clientX < r.right && e.clientY > r.top ? 'in the bin' : 'outside'); }</script>`;

const drawing = `<canvas id="c" width="400" height="300" style="border:1px solid;position:absolute;left:100px;top:100px"></canvas><script>let path = null; c.onmousedown = (e) => { path = [[e.offsetX, e.offsetY]]; }; c.onmousemove = (e) => { if (path) path.push([e.offsetX, e.offsetY]); }; c.onmouseup = () => { const last = path.at(-1); say(path[0] + ' to ' + last + (path.length > 5 ? ' drawn' : ' jumped')); path = null; }; c.ondblclick = () => say('double'); c.onwheel = (e) => { e.preventDefault(); say('zoom ' + Math.sign(e.deltaY)); }</script>`;

/** A place in a window of 1280 × 800 pixels. */
const pointAt = (x: number, y: number) => ({ point: { x: (x / 1280) * 1000, y: (y / 800) * 1000 } });

export const structure: readonly Kind[] = [
  {
    name: 'nested frames of the same site',
    by: 'ours',
    html: page(`<iframe id="f" src="/outer-same" style="width:500px;height:300px"></iframe>`),
    ready: '#f',
    cases: [
      {
        name: 'click and type through both',
        steps: [
          { action: 'click', target: { text: 'Inner', within: { css: '#g', within: css('#f') } } },
          { action: 'fill', target: { label: 'Inner field', within: { css: '#g', within: css('#f') } }, text: 'typed' },
        ],
        then: { visible: { text: 'typed', within: { css: '#g', within: css('#f') } } },
      },
    ],
  },
  {
    name: 'frame from another site',
    by: 'ours',
    html: page(`<iframe id="f" src="OTHER/inner" style="width:500px;height:300px"></iframe>`),
    cases: [
      {
        name: 'click and type',
        steps: [
          { action: 'click', target: { role: 'button', name: 'Inner', within: css('#f') } },
          { action: 'fill', target: { label: 'Inner field', within: css('#f') }, text: 'typed' },
        ],
        then: { visible: { text: 'typed', within: css('#f') } },
      },
      {
        name: 'click by index',
        steps: [
          { action: 'waitFor', condition: { visible: { text: 'Inner', within: css('#f') } } },
          { action: 'observe' },
          { action: 'click', target: { elementIndex: 0 } },
        ],
        then: { visible: { text: 'Clicked', within: css('#f') } },
      },
    ],
  },
  {
    name: 'frame from another origin of the same site',
    by: 'ours',
    html: page(`<iframe id="f" src="NEAR/inner" style="width:500px;height:300px"></iframe>`),
    cases: [
      {
        name: 'click and type',
        steps: [
          { action: 'click', target: { role: 'button', name: 'Inner', within: css('#f') } },
          { action: 'fill', target: { label: 'Inner field', within: css('#f') }, text: 'typed' },
        ],
        then: { visible: { text: 'typed', within: css('#f') } },
      },
      {
        name: 'click and type by index',
        steps: [
          { action: 'waitFor', condition: { visible: { text: 'Inner', within: css('#f') } } },
          { action: 'observe' },
          { action: 'click', target: { elementIndex: 0 } },
          { action: 'fill', target: { elementIndex: 1 }, text: 'typed' },
        ],
        then: { visible: { text: 'typed', within: css('#f') } },
      },
    ],
  },
  {
    name: 'sandboxed frame',
    by: 'ours',
    html: page(`<iframe id="f" sandbox="allow-scripts" src="/inner" style="width:500px;height:300px"></iframe>`),
    cases: [
      {
        name: 'click by index, type',
        steps: [
          { action: 'waitFor', condition: { visible: { text: 'Inner', within: css('#f') } } },
          { action: 'observe' },
          { action: 'click', target: { elementIndex: 0 } },
          { action: 'fill', target: { label: 'Inner field', within: css('#f') }, text: 'typed' },
        ],
        then: { visible: { text: 'typed', within: css('#f') } },
      },
    ],
  },
  {
    name: 'focusable rows without a role',
    by: 'ours',
    html: page(
      `<div tabindex="0" onkeydown="if (event.key === 'Enter') say('one')">Row one</div><div tabindex="0" onkeydown="if (event.key === 'Enter') say('two')">Row two</div>`,
    ),
    cases: [
      {
        name: 'press Enter by index',
        steps: [{ action: 'observe' }, { action: 'press', key: 'Enter', target: { elementIndex: 1 } }],
        then: outputIs('two'),
      },
    ],
  },
  {
    name: 'nested open shadow roots',
    by: 'ours',
    html: page(shadow('open')),
    cases: [
      {
        name: 'click by role',
        steps: [{ action: 'click', target: { role: 'button', name: 'Deep' } }],
        then: outputIs('deep'),
      },
      {
        name: 'type by label',
        steps: [{ action: 'fill', target: { label: 'Deep field' }, text: 'typed' }],
        then: outputIs('typed'),
      },
    ],
  },
  {
    name: 'closed shadow root',
    by: 'ours',
    html: page(shadow('closed')),
    cases: [
      {
        name: 'click by index',
        steps: [{ action: 'observe' }, { action: 'click', target: { elementIndex: 0 } }],
        then: outputIs('deep'),
      },
      {
        name: 'click by index, then type key by key',
        steps: [
          { action: 'observe' },
          { action: 'click', target: { elementIndex: 1 } },
          { action: 'press', key: 'a' },
          { action: 'press', key: 'b' },
        ],
        then: outputIs('ab'),
      },
      {
        name: 'click by role',
        steps: [{ action: 'click', target: { role: 'button', name: 'Deep' } }],
        then: outputIs('deep'),
        cannot: 'locators do not find elements in a closed shadow root',
      },
      {
        name: 'type by index',
        steps: [{ action: 'observe' }, { action: 'fill', target: { elementIndex: 1 }, text: 'typed' }],
        then: outputIs('typed'),
        cannot: 'scripts cannot access the field; click it and press keys',
      },
    ],
  },
  {
    name: 'virtual list of 10,000 rows',
    by: 'ours',
    html: page(bigList),
    cases: [
      {
        name: 'scroll inside, click',
        steps: [
          { action: 'scroll', target: css('#list'), by: { y: 24 * 5000 } },
          { action: 'click', target: { text: 'Row 5003', exact: true } },
        ],
        then: outputIs('row 5003'),
      },
      {
        name: 'scroll to its end',
        steps: [
          { action: 'scroll', target: css('#list'), to: 'bottom' },
          { action: 'click', target: { text: 'Row 9995', exact: true } },
        ],
        then: outputIs('row 9995'),
      },
    ],
  },
  {
    name: 'page with infinite scrolling',
    by: 'ours',
    html: page(
      `<main></main><script>let n = 0; const more = () => { for (let i = 0; i < 30; i += 1) document.querySelector('main').insertAdjacentHTML('beforeend', '<p>Story ' + n++ + '</p>'); }; more(); onscroll = () => { if (n < 90 && scrollY + innerHeight > document.body.scrollHeight - 50) setTimeout(more, 100); }</script>`,
    ),
    cases: [
      {
        name: 'scroll to the bottom, twice',
        steps: [
          { action: 'scroll', to: 'bottom' },
          { action: 'waitFor', condition: { text: 'Story 45' } },
          { action: 'scroll', to: 'bottom' },
        ],
        then: { text: 'Story 75' },
      },
    ],
  },
  {
    name: 'board with HTML drag and drop',
    by: 'ours',
    html: page(board),
    cases: [
      {
        name: 'drag',
        steps: [{ action: 'drag', target: css('#a'), to: css('#done') }],
        then: outputIs('Card A in done'),
      },
    ],
  },
  {
    name: 'drag with pointer events',
    by: 'ours',
    html: page(pointerBoard),
    cases: [
      {
        name: 'drag',
        steps: [{ action: 'drag', target: css('#knob'), to: css('#bin') }],
        then: outputIs('in the bin'),
      },
      {
        name: 'drag by pixels',
        steps: [{ action: 'drag', target: css('#knob'), by: { x: 20, y: 10 } }],
        then: outputIs('outside'),
      },
    ],
  },
  {
    name: 'canvas',
    by: 'ours',
    html: page(drawing),
    cases: [
      {
        name: 'drag from a point',
        steps: [{ action: 'drag', target: pointAt(151, 151), by: { x: 200, y: 100 } }],
        then: outputIs('50,50 to 250,150 drawn'),
      },
      { name: 'double click', steps: [{ action: 'click', target: css('#c'), count: 2 }], then: outputIs('double') },
      { name: 'wheel', steps: [{ action: 'scroll', target: css('#c'), by: { y: 100 } }], then: outputIs('zoom 1') },
      {
        name: 'click canvas content by its text',
        steps: [{ action: 'click', target: { text: 'Drawn button' } }],
        then: outputIs('drawn button'),
        cannot: 'canvas content has no elements; use a point',
      },
    ],
  },
  {
    name: 'SVG chart',
    by: 'ours',
    html: page(
      `<svg width="400" height="200" role="img" aria-label="Sales"><rect x="20" y="50" width="40" height="150" onclick="say('bar 1')"><title>March</title></rect><g onclick="say('bar 2')"><circle id="dot" cx="200" cy="100" r="20"></circle></g></svg>`,
    ),
    cases: [
      { name: 'click a bar', steps: [{ action: 'click', target: css('rect') }], then: outputIs('bar 1') },
      { name: 'click a dot of a group', steps: [{ action: 'click', target: css('#dot') }], then: outputIs('bar 2') },
    ],
  },
  {
    name: 'menu that opens on hover',
    by: 'ours',
    html: page(
      `<style>ul ul { display: none } li:hover > ul { display: block }</style><ul><li id="m">File<ul><li onclick="say('saved')">Save</li></ul></li></ul>`,
    ),
    cases: [
      {
        name: 'hover, click',
        steps: [
          { action: 'hover', target: css('#m') },
          { action: 'click', target: { text: 'Save' } },
        ],
        then: outputIs('saved'),
      },
    ],
  },
  {
    name: 'context menu',
    by: 'ours',
    html: page(
      `<p id="p" oncontextmenu="event.preventDefault(); m.hidden = false">Words</p><menu id="m" hidden><button onclick="say('copied')">Copy</button></menu>`,
    ),
    cases: [
      {
        name: 'right click',
        steps: [
          { action: 'click', target: css('#p'), button: 'right' },
          { action: 'click', target: { role: 'button', name: 'Copy' } },
        ],
        then: outputIs('copied'),
      },
    ],
  },
  {
    name: 'cell that a double click makes editable',
    by: 'ours',
    html: page(
      `<table><tr><td ondblclick="this.innerHTML = '<input aria-label=Cell>'; const i = this.firstChild; i.focus(); i.onkeydown = (e) => { if (e.key === 'Enter') { say(i.value); this.textContent = i.value; } }">12</table>`,
    ),
    cases: [
      {
        name: 'double click, type, press Enter',
        steps: [
          { action: 'click', target: css('td'), count: 2 },
          { action: 'fill', target: { label: 'Cell' }, text: '42' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('42'),
      },
    ],
  },
  {
    name: 'rows that are selected with Shift and Control',
    by: 'ours',
    html: page(
      `<ul>${['A', 'B', 'C', 'D'].map((name) => `<li id="${name}">Row ${name}</li>`).join('')}</ul><script>let last = 0; const chosen = new Set(); const all = [...document.querySelectorAll('li')]; all.forEach((li, i) => { li.onclick = (e) => { if (e.shiftKey) for (let k = Math.min(last, i); k <= Math.max(last, i); k += 1) chosen.add(all[k].id); else { if (!e.ctrlKey && !e.metaKey) chosen.clear(); chosen.add(li.id); } last = i; say([...chosen].sort().join('')); }; });</script>`,
    ),
    cases: [
      {
        name: 'click with Shift',
        steps: [
          { action: 'click', target: css('#A') },
          { action: 'click', target: css('#C'), modifiers: ['Shift'] },
        ],
        then: outputIs('ABC'),
      },
      {
        name: 'click with ControlOrMeta',
        steps: [
          { action: 'click', target: css('#A') },
          { action: 'click', target: css('#D'), modifiers: ['ControlOrMeta'] },
        ],
        then: outputIs('AD'),
      },
    ],
  },
  {
    name: 'keyboard shortcuts of an application',
    by: 'ours',
    html: page(
      `<div id="p" hidden><input aria-label="Command" onkeydown="if (event.key === 'Enter') say('ran ' + this.value)"></div><script>onkeydown = (e) => { if ((e.ctrlKey || e.metaKey) && e.key === 'k') { e.preventDefault(); p.hidden = false; p.firstChild.focus(); } }</script>`,
    ),
    cases: [
      {
        name: 'press ControlOrMeta+K',
        steps: [
          { action: 'press', key: 'ControlOrMeta+k' },
          { action: 'fill', target: { label: 'Command' }, text: 'build' },
          { action: 'press', key: 'Enter' },
        ],
        then: outputIs('ran build'),
      },
    ],
  },
  {
    name: 'banner over the page',
    by: 'ours',
    html: page(
      `<button onclick="say('bought')" style="margin-top:700px">Buy</button><div id="b" style="position:fixed;left:0;right:0;bottom:0;height:200px;background:#ffd"><button onclick="b.remove()">Accept all</button></div>`,
    ),
    cases: [
      {
        name: 'click the element behind it after it disappears',
        steps: [
          { action: 'click', target: { text: 'Accept all' } },
          { action: 'click', target: { text: 'Buy' } },
        ],
        then: outputIs('bought'),
      },
    ],
  },
  {
    name: 'single-page application that renders late',
    by: 'ours',
    html: page(
      `<nav><a href="/app/orders">Orders</a></nav><main>Loading</main><script>document.querySelector('a').onclick = (e) => { e.preventDefault(); history.pushState({}, '', '/app/orders'); document.querySelector('main').textContent = 'Loading'; setTimeout(() => { document.querySelector('main').innerHTML = '<button disabled>Pay</button>'; setTimeout(() => { const b = document.querySelector('button'); b.disabled = false; b.onclick = () => say('paid'); }, 300); }, 400); }</script>`,
    ),
    cases: [
      {
        name: 'click, click an element that appears later',
        steps: [
          { action: 'click', target: { text: 'Orders' } },
          { action: 'click', target: { text: 'Pay' } },
        ],
        then: outputIs('paid'),
      },
    ],
  },
  {
    name: 'rows with the same buttons',
    by: 'ours',
    html: page(
      ['Rope', 'Lamp', 'Net']
        .map((name) => `<div>${name} <button onclick="say('${name}')">Edit</button></div>`)
        .join(''),
    ),
    cases: [
      {
        name: 'click the nearest to a text',
        steps: [{ action: 'click', target: { text: 'Edit', near: { text: 'Lamp' } } }],
        then: outputIs('Lamp'),
      },
      { name: 'click the nth', steps: [{ action: 'click', target: { text: 'Edit', nth: -1 } }], then: outputIs('Net') },
    ],
  },
];

/** Pages that are shown in frames, by path. */
export const framed: Readonly<Record<string, string>> = {
  '/outer-same': `<iframe id="g" src="/inner" style="width:400px;height:200px"></iframe>`,
  '/inner': inner(`this.textContent = 'Clicked'`),
};
