import { button, click, css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1200;

const FROM = 'hit-target.browser.spec.ts';

const eventTypes = 'mousedown mouseup click dblclick auxclick contextmenu pointerdown pointerup';

/** Notes every event that any other element than the button gets. */
const noteOtherEvents = `<script>for (const type of '${eventTypes}'.split(' ')) addEventListener(type, ({ type, target }) => { if (target.id !== 'go') note(type + '-' + (target.id || target.localName)); });</script>`;

/** Moving the pointer covers the target: nothing is clicked. */
const blocked = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: FROM,
  html: html + noteOtherEvents,
  steps: [click('#go')],
  timeoutMs: SHORT_MS,
  playwright: 'times out, the page gets no event',
  outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by' },
  ...overrides,
});

/** The first try is stopped, a later one clicks. */
const retried = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: FROM,
  html: html + noteOtherEvents,
  steps: [click('#go')],
  playwright: 'tries again, then clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

const cover = 'position:absolute;left:0;top:0;width:400px;height:200px;z-index:2';
const row = (laterHtml: string) =>
  `<div id="row" style="width:400px;height:60px">${button('width:200px')}</div>${laterHtml}`;
const deletes = `<button id="delete" hidden style="${cover}" onclick="note('deleted')">Delete</button>`;

/** The page changes between the check and the click. */
export const clickHitCases: ConformanceGroup = {
  name: 'click: another element gets in between',
  cases: [
    blocked(
      'mouseenter shows a button over the target',
      row(deletes) + `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by <button id="delete"' } },
    ),
    blocked(
      'a CSS hover rule shows a button over the target',
      `<style>#delete { display: none } #row:hover + #delete, #delete:hover { display: block }</style>` +
        row(deletes.replace('hidden ', '')),
    ),
    blocked(
      'mousemove shows a button over the target',
      row(deletes) + `<script>row.onmousemove = () => { document.getElementById('delete').hidden = false; };</script>`,
      { steps: [{ action: 'click', target: { role: 'button', name: 'Go' } }] },
    ),
    blocked(
      'a double click with a button that is shown on hover',
      row(deletes) + `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { steps: [{ action: 'click', target: css('#go'), count: 2 }] },
    ),
    blocked(
      'a right click with a menu that is shown on hover',
      row(deletes) + `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { steps: [{ action: 'click', target: css('#go'), button: 'right' }] },
    ),
    blocked(
      'the target removes itself when the pointer comes',
      `${button()}<div id="under" style="position:absolute;left:0;top:0;width:400px;height:200px;z-index:-1" onclick="note('under')"></div><script>go.onmouseenter = () => go.remove();</script>`,
      { outcome: { error: 'TARGET_NOT_FOUND' }, playwright: 'times out, the page gets no event' },
    ),
    blocked(
      'page scripts replaced the methods of events',
      row(deletes) +
        `<script>Event.prototype.composedPath = () => [go]; Event.prototype.stopImmediatePropagation = () => {}; Event.prototype.preventDefault = () => {}; EventTarget.prototype.addEventListener = new Proxy(EventTarget.prototype.addEventListener, { apply: (on, self, args) => Reflect.apply(on, self, args) }); row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null },
    ),
    blocked(
      'the page listens on window first',
      `<script>addEventListener('mousedown', (event) => event.stopImmediatePropagation(), true);</script>` +
        row(deletes) +
        `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null },
    ),
    blocked('in a frame', `<iframe src="PATH/frame" style="width:500px;height:300px"></iframe>`, {
      documents: {
        '/frame':
          row(deletes) +
          `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
    blocked('in a frame of another origin', `<iframe src="OTHER/frame" style="width:500px;height:300px"></iframe>`, {
      documents: {
        '/frame':
          row(deletes) +
          `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
    blocked(
      'an element of the page comes over a frame',
      `<div id="box" style="position:relative;width:500px"><iframe src="PATH/frame" style="width:500px;height:300px"></iframe></div><div id="over" hidden style="${cover};height:400px" onclick="note('over')"></div><script>box.onmouseenter = () => { over.hidden = false; };</script>`,
      { documents: { '/frame': button() }, steps: [{ action: 'click', target: inFrame('#go') }] },
    ),
    blocked(
      'another button in the same link',
      `<a href="#" onclick="note('link')"><span id="go" style="pointer-events:none">Price</span><button style="position:absolute;left:0;top:0;width:300px;height:60px" onclick="note('deleted'); event.preventDefault()">Delete</button></a>`,
      {
        from: null,
        playwright: 'clicks: the button is in the link of the target',
        ours: 'TARGET_NOT_ACTIONABLE',
        deviation: 'A part of a link stands for the link, but not for another control in it.',
      },
    ),
    blocked(
      'a download whose link is covered on hover',
      `<div id="row" style="width:400px;height:60px"><a id="go" download="a.txt" href="data:text/plain,a" style="display:block;width:200px">File</a></div>${deletes}<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null, steps: [{ action: 'download', target: css('#go') }] },
    ),
    blocked(
      'a checkbox that is covered on hover',
      `<div id="row" style="width:400px;height:60px"><input id="go" type="checkbox"></div>${deletes}<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null, steps: [{ action: 'check', target: css('#go') }] },
    ),
    blocked(
      'an upload button that is covered on hover',
      row(deletes) + `<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null, steps: [{ action: 'upload', target: css('#go'), file: 'paper' }] },
    ),
    blocked(
      'a combobox that is covered on hover',
      `<div id="row" style="width:400px;height:60px"><div id="go" role="combobox" tabindex="0" aria-expanded="false" style="width:200px">Size</div></div>${deletes}<script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      { from: null, steps: [{ action: 'selectOption', target: css('#go'), option: 'M' }] },
    ),
    retried(
      'the button moves on the first move of the pointer',
      `${button()}<script>go.onmousemove = () => { go.style.marginLeft = '150px'; };</script>`,
    ),
    retried(
      'the button moves away on hover by CSS',
      `<style>div:hover #go { margin-left: 200px }</style><div style="width:600px">${button()}</div>`,
      { from: 'page-click.spec.ts' },
    ),
    retried(
      'untrusted events are not stopped',
      `${button().replace(`note('clicked')`, `if (event.isTrusted) note('clicked')`)}<script>let moves = 0; go.onmousemove = () => { if (moves++ > 0) return; go.style.marginLeft = '150px'; go.dispatchEvent(new MouseEvent('click')); };</script>`,
    ),
    retried(
      'an overlay comes with the pointer and leaves again',
      row(`<div id="over" hidden style="${cover}" onclick="note('over')"></div>`) +
        `<script>let shown = false; row.onmouseenter = () => { if (shown) return; shown = true; over.hidden = false; setTimeout(() => { over.hidden = true; }, 400); };</script>`,
      { from: 'page-click.spec.ts' },
    ),
    retried(
      'a list gets a new first entry with the pointer',
      `<ul id="list" style="width:300px"><li>${button('width:200px;height:40px')}</li></ul><script>let isOld = true; list.onmouseenter = () => { if (!isOld) return; isOld = false; list.insertAdjacentHTML('afterbegin', '<li><button id="new" style="width:200px;height:40px" onclick="note(1)">New</button></li>'); };</script>`,
    ),
    retried(
      'a list that is moved by a timer',
      `<div id="list"><div id="new"></div>${button('width:200px;height:30px')}</div><script>let left = 6; const timer = setInterval(() => { document.getElementById('new').insertAdjacentHTML('afterbegin', '<button style="display:block;width:200px;height:30px" onclick="note(1)">Other</button>'); left -= 1; if (left === 0) clearInterval(timer); }, 60);</script>`,
      { from: 'page-click-timeout-3.spec.ts' },
    ),
  ],
};
