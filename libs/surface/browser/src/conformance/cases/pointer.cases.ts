import { css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1200;

const hovers = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: 'page-mouse.spec.ts',
  html,
  steps: [{ action: 'hover', target: css('#go') }],
  playwright: 'hovers',
  outcome: { notes: 'over' },
  ...overrides,
});

const over = (style = '') => `<button id="go" style="${style}" onmouseenter="note('over')">Go</button>`;
const tall = '<div style="height:3000px"></div>';

/** Moves of the pointer. */
export const hoverCases: ConformanceGroup = {
  name: 'hover',
  cases: [
    hovers('a button', over()),
    hovers(
      'a disabled button, whose hint says why',
      `<button id="go" disabled>Go</button><style>#go:hover ~ b { display: none }</style>`,
      {
        from: null,
        outcome: {},
      },
    ),
    hovers('a button far below', tall + over() + tall),
    hovers('window.Node was removed', `${over()}<script>delete window.Node;</script>`),
    hovers('in a frame', '<iframe src="PATH/frame"></iframe>', {
      documents: { '/frame': over() },
      steps: [{ action: 'hover', target: inFrame('#go') }],
    }),
    hovers('in a frame below the view', `${tall}<iframe src="PATH/frame"></iframe>${tall}`, {
      from: null,
      documents: { '/frame': over() },
      steps: [{ action: 'hover', target: inFrame('#go') }],
    }),
    hovers(
      'a position',
      `<div id="go" style="width:200px;height:100px" onmousemove="note(event.offsetX + ',' + event.offsetY)"></div>`,
      {
        steps: [{ action: 'hover', target: css('#go'), position: { x: 30, y: 40 } }],
        playwright: '30,40',
        outcome: { notes: '30,40' },
      },
    ),
    hovers('under an overlay', `${over()}<div id="over" style="position:absolute;inset:0"></div>`, {
      timeoutMs: SHORT_MS,
      playwright: 'times out',
      outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by <div id="over"' },
    }),
    hovers(
      'an overlay that the pointer brings',
      `<div id="row" style="width:400px;height:60px"><button id="go">Go</button></div><div id="over" hidden style="position:absolute;left:0;top:0;width:400px;height:200px"></div><script>row.onmouseenter = () => { over.hidden = false; };</script>`,
      {
        from: null,
        playwright: 'hovers: the first move hits it',
        outcome: {},
      },
    ),
    hovers(
      'a menu that opens, then an entry of it',
      `<style>ul { display: none } nav:hover ul { display: block }</style><nav id="go">Menu<ul><li onmouseenter="note('entry')">Entry</li></ul></nav>`,
      {
        steps: [
          { action: 'hover', target: css('#go') },
          { action: 'hover', target: css('li') },
        ],
        outcome: { notes: 'entry' },
      },
    ),
    hovers(
      'a button that moves when the pointer comes',
      `<button id="go">Go</button><script>let moved = false; go.onmousemove = () => { if (moved) note('over'); moved = true; go.style.marginLeft = '150px'; };</script>`,
      { from: 'hit-target.browser.spec.ts', playwright: 'hovers: the first move hits it', outcome: {} },
    ),
  ],
};

const board = `<style>#from, #to { width: 90px; height: 60px; border: 1px solid; margin: 20px }</style><div id="from" draggable="true">Card</div><div id="to">Done</div><script>
  from.ondragstart = (event) => { event.dataTransfer.setData('text/plain', 'card'); note('start'); };
  to.ondragover = (event) => event.preventDefault();
  to.ondrop = (event) => { event.preventDefault(); note('drop-' + event.dataTransfer.getData('text/plain')); };
  from.ondragend = () => note('end');</script>`;

const manual = `<style>div { position: absolute; width: 80px; height: 80px } #from { left: 0; top: 100px; background: red } #to { left: 300px; top: 200px; background: blue }</style><div id="to"></div><div id="from"></div><script>
  let held = false;
  from.onmousedown = () => { held = true; };
  addEventListener('mousemove', (event) => { if (held) { from.style.left = event.clientX - 40 + 'px'; from.style.top = event.clientY - 40 + 'px'; } });
  addEventListener('mouseup', (event) => { if (held) note(document.elementsFromPoint(event.clientX, event.clientY).includes(to) ? 'dropped' : 'lost'); held = false; });</script>`;

const drags = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: 'page-drag.spec.ts',
  html,
  steps: [{ action: 'drag', target: css('#from'), to: css('#to') }],
  playwright: 'drops',
  outcome: { notes: 'start drop-card end' },
  ...overrides,
});

/** Notes drops only. */
const quiet = board.replace("note('start'); ", '').replace("from.ondragend = () => note('end');", '');
const lidStyle = 'position:absolute;left:0;top:80px;width:400px;height:300px;border:0;background:red';
const lid = `<div id="over" hidden style="${lidStyle}" ondragover="event.preventDefault()" ondrop="note('over')"></div>`;
const lidFrame = `<iframe id="over" hidden src="PATH/lid" style="${lidStyle}"></iframe>`;
const showOnDragEnter = `<script>to.ondragenter = () => { over.hidden = false; };</script>`;
const showBriefly = `<script>let shown = false; to.ondragenter = () => { if (shown) return; shown = true; over.hidden = false; }; addEventListener('dragend', () => { over.hidden = true; });</script>`;

const missedDrop: Partial<ConformanceCase> = {
  from: null,
  timeoutMs: 4000,
  playwright: 'drops on the covering element',
  ours: 'TARGET_NOT_ACTIONABLE, nothing is dropped',
  deviation: 'The drop target is checked again before the drop.',
  outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by' },
};

export const dragCases: ConformanceGroup = {
  name: 'drag',
  cases: [
    drags('drag and drop of HTML', board),
    drags('drag and drop of HTML in a frame', '<iframe src="PATH/frame" style="width:500px;height:300px"></iframe>', {
      documents: { '/frame': board },
      steps: [{ action: 'drag', target: inFrame('#from'), to: inFrame('#to') }],
    }),
    drags('by the mouse: the element stays under the pointer', manual, {
      from: 'hit-target.browser.spec.ts',
      outcome: { notes: 'dropped' },
    }),
    drags(
      'the page refuses the drag',
      board + `<script>document.body.addEventListener('dragstart', (event) => event.preventDefault(), true);</script>`,
      { playwright: 'drops nothing', outcome: { notes: 'start' } },
    ),
    drags(
      'the page stops the event of the drag',
      board +
        `<script>document.body.addEventListener('dragstart', (event) => event.stopImmediatePropagation());</script>`,
    ),
    drags(
      'positions at both ends',
      `<div id="from" style="width:100px;height:100px;background:red"></div><div id="to" style="width:100px;height:100px;background:blue"></div><script>from.onmousedown = ({ offsetX, offsetY }) => note(offsetX + ',' + offsetY); to.onmouseup = ({ offsetX, offsetY }) => note(offsetX + ',' + offsetY);</script>`,
      {
        steps: [
          {
            action: 'drag',
            target: css('#from'),
            fromPosition: { x: 34, y: 7 },
            to: css('#to'),
            position: { x: 10, y: 20 },
          },
        ],
        playwright: '34,7 and 10,20',
        outcome: { notes: '34,7 10,20' },
      },
    ),
    drags(
      'the buttons that are held',
      `<div id="from" style="width:200px;height:200px"></div><script>const seen = new Set(); for (const type of ['mousemove', 'mousedown', 'mouseup']) from.addEventListener(type, ({ type, buttons }) => { const text = type + buttons; if (!seen.has(text)) note(text); seen.add(text); });</script>`,
      {
        steps: [{ action: 'drag', target: css('#from'), by: { x: 20, y: 20 } }],
        playwright: 'none, then the left one, then none',
        outcome: { notes: 'mousemove0 mousedown1 mousemove1 mouseup0' },
      },
    ),
    drags(
      'the dragged element is covered when the pointer comes',
      `<div id="row">${board}</div><div id="over" hidden style="position:absolute;left:0;top:0;width:400px;height:300px;background:red" onmousedown="note('over')" onmouseup="note('up')" onclick="note('clicked')"></div><script>row.onmouseenter = () => { over.hidden = false; };</script>`,
      {
        from: null,
        timeoutMs: SHORT_MS,
        playwright: 'times out',
        outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by <div id="over"' },
      },
    ),
    drags(
      'the place of the drop is covered',
      `${board}<div id="over" style="position:absolute;left:0;top:90px;width:400px;height:300px;background:red"></div>`,
      {
        from: 'hit-target.browser.spec.ts',
        timeoutMs: 3000,
        playwright: 'times out',
        outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by <div id="over"' },
      },
    ),
    drags('a place that is covered during the drag', quiet + lid + showOnDragEnter, missedDrop),
    drags('a place that a frame covers during the drag', quiet + lidFrame + showOnDragEnter, {
      ...missedDrop,
      documents: { '/lid': `<body style="margin:0" ondragover="event.preventDefault()" ondrop="note('over')">` },
    }),
    drags('a place that is covered during the first drag only', quiet + lid + showBriefly, {
      from: null,
      playwright: 'drops on the covering element',
      ours: 'cancels, tries again, then drops',
      deviation: 'The drop target is checked again before the drop.',
      outcome: { notes: 'drop-card' },
    }),
    drags(
      'by the mouse: a place that is covered during the drag',
      manual.replace(
        'from.onmousedown = () => {',
        `from.onclick = () => note('clicked'); from.onmousedown = () => { over.hidden = false;`,
      ) + '<div id="over" hidden style="left:250px;top:150px;width:200px;height:200px"></div>',
      { ...missedDrop, outcome: { ...missedDrop.outcome, notes: 'lost' } },
    ),
    drags('the dragged element is far below', `${tall}${board}${tall}`),
  ],
};
