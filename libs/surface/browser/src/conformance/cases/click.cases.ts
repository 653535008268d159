import { button, click, css, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-click.spec.ts';

/** A case in which both click, and the page notes it. */
const clicks = (
  name: string,
  html: string,
  selector = '#go',
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [click(selector)],
  playwright: 'clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

const onclick = `onclick="note('clicked')"`;
const oneByOne = (margin: string) => `<div id="go" style="${margin};width:1px;height:1px" ${onclick}></div>`;
const events = (types: string) =>
  `<script>for (const type of '${types}'.split(' ')) document.getElementById('go').addEventListener(type, ({ type }) => note(type));</script>`;

const clobbering =
  'getAttribute id tagName localName children parentElement parentNode closest contains matches shadowRoot nodeType getBoundingClientRect'.split(
    ' ',
  );

/** Clicks on elements of the page itself. */
export const clickCases: ConformanceGroup = {
  name: 'click',
  cases: [
    clicks('a button', button()),
    clicks(
      'a shape of an SVG',
      `<svg height="100" width="100"><circle ${onclick} cx="50" cy="50" r="40"/></svg>`,
      'circle',
    ),
    clicks('window.Node was removed', `${button()}<script>delete window.Node;</script>`),
    clicks(
      'a span with nothing but generated content',
      `<style>span::before { content: 'q' }</style><span ${onclick}></span>`,
      'span',
    ),
    clicks('one aligned pixel', oneByOne('margin:0')),
    clicks('one half-aligned pixel', oneByOne('margin-left:20.5px;margin-top:11.5px')),
    clicks('one unaligned pixel, 1', oneByOne('margin-left:20.23px;margin-top:11.65px')),
    clicks('one unaligned pixel, 2', oneByOne('margin-left:20.68px;margin-top:11.13px')),
    clicks('one unaligned pixel, 3', oneByOne('margin-left:20.68px;margin-top:11.52px')),
    clicks('one unaligned pixel, 4', oneByOne('margin-left:20.15px;margin-top:11.24px')),
    clicks(
      'an inline part is outside of the view',
      `<style>i { position: absolute; top: -1000px }</style><span ${onclick}><i>woof</i><b>doggo</b></span>`,
      'span',
    ),
    clicks(
      'a link that wraps over two lines',
      `<div style="width:300px">A long text before the <a href="#x" ${onclick}>link that is wrapped over lines</a>.</div>`,
      'a',
    ),
    clicks(
      'a form whose fields have the names of element properties',
      `<form>${clobbering.map((name) => `<input name="${name}" size="4">`).join('')}<button id="go" type="button" ${onclick}>Go</button></form>`,
      '#go',
      { from: null },
    ),
    clicks('a checkbox', `<input id="agree" type="checkbox" onchange="note(checked)">`, '#agree', {
      outcome: { notes: 'true' },
    }),
    clicks(
      'the label of a checkbox',
      `<input id="agree" type="checkbox" onchange="note(checked)"><label for="agree">I agree</label>`,
      'label',
      { outcome: { notes: 'true' } },
    ),
    clicks(
      'events of a click on a checkbox',
      `<input id="go" type="checkbox">${events('mouseover mouseenter mousemove mousedown mouseup click input change')}`,
      '#go',
      {
        playwright: 'mouseover to change, each once',
        outcome: { notes: 'mouseover mouseenter mousemove mousedown mouseup click input change' },
      },
    ),
    clicks('events of a double click', `<button id="go">Go</button>${events('click dblclick')}`, '#go', {
      steps: [{ action: 'click', target: css('#go'), count: 2 }],
      playwright: 'two clicks, one double click',
      outcome: { notes: 'click click dblclick' },
    }),
    clicks(
      'a triple click selects a paragraph',
      `<p id="go">Some text here</p><script>go.onclick = ({ detail }) => { if (detail === 3) note(getSelection().toString().trim()); };</script>`,
      '#go',
      {
        steps: [{ action: 'click', target: css('#go'), count: 3 }],
        playwright: 'selects the text',
        outcome: { notes: 'Some text here' },
      },
    ),
    clicks(
      'the context menu of a right click',
      `<button id="go">Go</button>${events('mousedown contextmenu mouseup')}`,
      '#go',
      {
        steps: [{ action: 'click', target: css('#go'), button: 'right' }],
        playwright: 'mousedown, contextmenu, mouseup',
        outcome: { notes: 'mousedown contextmenu mouseup' },
      },
    ),
    clicks('the middle button', `<button id="go">Go</button>${events('auxclick click')}`, '#go', {
      steps: [{ action: 'click', target: css('#go'), button: 'middle' }],
      playwright: 'auxclick',
      outcome: { notes: 'auxclick' },
    }),
    clicks('a key that is held', `<button id="go" onclick="note(event.shiftKey)">Go</button>`, '#go', {
      steps: [{ action: 'click', target: css('#go'), modifiers: ['Shift'] }, click('#go')],
      playwright: 'true, then false without it',
      outcome: { notes: 'true false' },
    }),
    clicks('a rotated button', button('transform:rotate(40deg);margin:80px')),
    clicks('a button that is partly outside of the view', button('position:absolute;left:1200px;width:400px')),
    clicks('a link that navigates', `<a href="PATH/there">There</a>`, 'a', {
      documents: { '/there': `<script>note('arrived')</script>` },
      playwright: 'clicks, and does not hang',
      outcome: { notes: 'arrived' },
    }),
    clicks('again after a navigation', `<a href="PATH/there">There</a>`, 'a', {
      documents: { '/there': button() },
      steps: [click('a'), click('#go')],
    }),
    clicks('again after a navigation to another origin', `<a href="OTHER/there">There</a>`, 'a', {
      documents: { '/there': button() },
      steps: [click('a'), click('#go')],
    }),
    clicks('a disabled div is no control', `<div ${onclick} disabled>Click target</div>`, 'div'),
    clicks(
      'an element that removes itself at mousedown',
      `<button id="go" onmousedown="note('down'); this.remove()">Go</button>`,
      '#go',
      {
        from: 'hit-target.browser.spec.ts',
        playwright: 'succeeds',
        outcome: { notes: 'down' },
      },
    ),
    clicks(
      'window.innerWidth was overwritten',
      `${button()}<script>Object.defineProperty(window, 'innerWidth', { value: 0 });</script>`,
    ),
    clicks(
      'window.innerHeight was overwritten',
      `${button()}<script>Object.defineProperty(window, 'innerHeight', { value: 0 });</script>`,
      '#go',
      { from: null },
    ),
    clicks(
      'a field of no size by its label',
      `<label>Click me<input ${onclick} style="width:0;height:0;padding:0;margin:0;border:0"></label>`,
      'label',
    ),
    clicks(
      'a part with pointer-events: none in a button',
      `<button ${onclick}><label style="pointer-events:none">Click target</label></button>`,
      'label',
    ),
    clicks(
      'a part with pointer-events: none in role=button',
      `<div role="button" ${onclick}><div style="pointer-events:none"><span id="go">Click target</span></div></div>`,
    ),
    clicks(
      'a part with pointer-events: none in a link',
      `<a href="#" ${onclick}><div><div id="go" style="pointer-events:none">Inner</div></div></a>`,
    ),
    clicks(
      'a part with pointer-events: none in role=link',
      `<div role="link" ${onclick}><div id="go" style="pointer-events:none">Inner</div></div>`,
    ),
    clicks('display: contents', `<div id="go" style="display:contents" ${onclick}>Text of it</div>`, '#go', {
      from: 'page-click.spec.ts, elementhandle-click.spec.ts',
    }),
    clicks(
      'microtasks run between events',
      `<button id="go">Go</button><script>let count = 0; new MutationObserver((all) => { count += all.length; }).observe(document.body, { childList: true }); go.onmousedown = () => { count = 0; document.body.append(document.createElement('div')); }; go.onmouseup = () => note(count);</script>`,
      '#go',
      { playwright: 'the observer has run once', outcome: { notes: '1' } },
    ),
    clicks(
      'tasks and promises run in order',
      `<div id="outer" style="width:60px;height:60px"><div id="go" style="width:46px;height:46px"></div></div><script>const on = (name) => () => { note('click-' + name); setTimeout(() => note('timeout-' + name)); Promise.resolve().then(() => note('promise-' + name)); }; go.onclick = on('inner'); outer.onclick = on('outer');</script>`,
      '#go',
      {
        playwright: 'each listener in its own task',
        outcome: {
          notes: 'click-inner promise-inner click-outer promise-outer timeout-inner timeout-outer',
        },
      },
    ),
    clicks(
      'an open select covers the button',
      `<select><option>very long text #1<option>very long text #2<option>very long text #3</select><div>${button()}</div>`,
      '#go',
      { steps: [click('select'), click('#go')] },
    ),
    clicks(
      'the pressure of the pointer',
      `<button id="go">Go</button><script>for (const type of ['pointerdown', 'pointerup']) go.addEventListener(type, ({ pressure }) => note(pressure));</script>`,
      '#go',
      { playwright: '0.5, then 0', outcome: { notes: '0.5 0' } },
    ),
    clicks(
      'a button in a shadow root around slotted text',
      `<my-button><template shadowrootmode="open"><button onclick="note('clicked')"><slot></slot></button></template><div>Foo</div></my-button>`,
      '#go',
      { steps: [{ action: 'click', target: { role: 'button', name: 'Foo' } }] },
    ),
    clicks(
      'the host of a shadow root',
      `<my-button onclick="note('clicked')"><template shadowrootmode="open"><button><slot></slot></button></template><div>Foo</div></my-button>`,
      'my-button',
    ),
    clicks(
      'an element in a shadow root',
      `<div id="host"></div><script>const root = host.attachShadow({ mode: 'open' }); root.innerHTML = '<button id="go">Go</button>'; root.firstChild.onclick = () => note('clicked');</script>`,
      '#go',
      { from: 'elementhandle-click.spec.ts' },
    ),
    clicks('a block in an inline', `<div><span><div id="go" ${onclick}>Romimine</div></span></div>`, '#go', {
      from: 'hit-target.browser.spec.ts',
    }),
    clicks(
      'blocks in links in a link',
      `<div><a href="#ney"><div><span id="at"></span></div></a></div><script>const a = document.createElement('a'); a.href = '#yay'; a.innerHTML = '<div><h3 id="go">Romimine</h3></div>'; at.append(a); addEventListener('hashchange', () => note(location.hash));</script>`,
      '#go',
      { from: 'hit-target.browser.spec.ts', playwright: 'follows the inner link', outcome: { notes: '#yay' } },
    ),
    clicks(
      'a block in an inline in a shadow root',
      `<div id="host"></div><script>const root = host.attachShadow({ mode: 'open' }); root.innerHTML = '<span><div id="go">Hello</div></span>'; root.querySelector('div').onclick = () => note('clicked');</script>`,
      '#go',
      { from: 'hit-target.browser.spec.ts' },
    ),
    clicks('again after document.write', `${button()}`, '#go', {
      from: 'hit-target.browser.spec.ts',
      html: `<button id="go" onclick="document.open(); document.write('<title>-</title><button id=two>Two</button><scr' + 'ipt>two.onclick = () => { document.title = \\'two\\'; }</scr' + 'ipt>'); document.close()">Go</button>`,
      steps: [click('#go'), click('#two')],
      outcome: { notes: 'two' },
    }),
    clicks(
      'the scroll bar of a list is not hit',
      `<style>.list { width: 180px; display: flex; overflow-x: scroll } button { flex: none; height: 28px }</style><div class="list"><button>One</button><button>Two</button><button>Three</button>${button()}<button>More</button><button>Items</button></div>`,
      '#go',
      { from: 'page-click-scroll.spec.ts' },
    ),
    clicks(
      'a position in a button with a border',
      `<button style="border:8px solid;width:120px;height:60px" onclick="note(event.offsetX + ',' + event.offsetY)">Go</button>`,
      'button',
      {
        steps: [{ action: 'click', target: css('button'), position: { x: 20, y: 10 } }],
        playwright: '20,10',
        outcome: { notes: '20,10' },
      },
    ),
    clicks(
      'a position in a very large button',
      `<button style="border:8px solid;width:2000px;height:2000px" onclick="note(event.offsetX + ',' + event.offsetY)">Go</button>`,
      'button',
      {
        steps: [{ action: 'click', target: css('button'), position: { x: 1900, y: 1910 } }],
        playwright: '1900,1910',
        outcome: { notes: '1900,1910' },
      },
    ),
    clicks(
      'a position in a button in a scroll container',
      `<div style="overflow:auto;width:200px;height:200px"><button style="border:8px solid;width:2000px;height:2000px" onclick="note(event.offsetX + ',' + event.offsetY)">Go</button></div>`,
      'button',
      {
        steps: [{ action: 'click', target: css('button'), position: { x: 1900, y: 1910 } }],
        playwright: '1900,1910',
        outcome: { notes: '1900,1910' },
      },
    ),
  ],
};
