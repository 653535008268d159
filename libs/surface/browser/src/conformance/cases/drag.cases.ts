import { css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1200;

const tall = '<div style="height:3000px"></div>';

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

/** Two boxes, without HTML drag and drop. @param script handlers */
const quietMouse = (script: string): string =>
  `<style>div { position: absolute; width: 80px; height: 80px } #from { left: 0; top: 100px; background: red } #to { left: 300px; top: 200px; background: blue }</style><div id="to"></div><div id="from" style="left: 0px"></div><script>${script}</script>`;

const unmoved: Partial<ConformanceCase> = {
  from: null,
  playwright: 'reports success',
  ours: 'unverifiable',
  deviation: 'The step is to drag, and nothing changed.',
  outcome: { effect: 'unverifiable', message: 'Nothing visible changed' },
};

const mouseMoved: Partial<ConformanceCase> = { from: null, playwright: 'drags it', outcome: {} };

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
      {
        playwright: 'drops nothing',
        ours: 'unverifiable',
        deviation: 'The step is to drag, and nothing changed.',
        outcome: { notes: 'start', effect: 'unverifiable', message: 'cancelled the drag' },
      },
    ),
    drags(
      'a drop that removes the dragged element',
      board
        .replace('to.ondrop = (event) => {', 'to.ondrop = (event) => { from.remove();')
        .replace("from.ondragend = () => note('end');", ''),
      { from: null, outcome: { notes: 'start drop-card' } },
    ),
    drags(
      'the page refuses the drag, and moves the element in the next frame',
      board.replace("note('start');", '') +
        `<script>from.addEventListener('dragstart', (event) => { event.preventDefault(); addEventListener('mouseup', () => setTimeout(() => to.append(from), 50)); });</script>`,
      { from: null, playwright: 'moves it', outcome: {} },
    ),
    drags('the page refuses the drop', board.replace('to.ondragover', 'to.ondragleave'), {
      from: null,
      playwright: 'drops nothing',
      ours: 'unverifiable',
      deviation: 'The step is to drop, and no element took the drop.',
      outcome: { notes: 'start end', effect: 'unverifiable', message: 'No element took the drop' },
    }),
    drags(
      'a page that moves the element while it is dragged',
      `<ul><li id="from" draggable="true">A</li><li id="to">B</li></ul><script>to.addEventListener('dragenter', () => { to.after(from); note('moved'); }, { once: true });</script>`,
      { from: null, playwright: 'moves it', outcome: { notes: 'moved' } },
    ),
    drags(
      'the page stops the event of the drag',
      board +
        `<script>document.body.addEventListener('dragstart', (event) => event.stopImmediatePropagation());</script>`,
    ),
    drags(
      'positions at both ends',
      `<div id="from" style="width:100px;height:100px;background:red"></div><div id="to" style="width:100px;height:100px;background:blue"></div><script>from.onmousedown = ({ offsetX, offsetY }) => note(offsetX + ',' + offsetY); to.onmouseup = ({ offsetX, offsetY }) => { note(offsetX + ',' + offsetY); to.append(from); };</script>`,
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
      `<div id="from" style="width:200px;height:200px"></div><script>const seen = new Set(); for (const type of ['mousemove', 'mousedown', 'mouseup']) from.addEventListener(type, ({ type, buttons }) => { const text = type + buttons; if (!seen.has(text)) note(text); seen.add(text); from.textContent = text; });</script>`,
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
    drags('by the mouse: a page that does not follow it', quietMouse(''), unmoved),
    drags(
      'by the mouse: an element that snaps back',
      quietMouse(`onmouseup = () => { held = false; from.style.left = '0px'; };
        let held = false; from.onmousedown = () => { held = true; };
        onmousemove = ({ clientX }) => { if (held) from.style.left = clientX + 'px'; };`),
      unmoved,
    ),
    drags('by the mouse: in a shadow root', '', {
      ...mouseMoved,
      html: `<div id="host"></div><script>const root = host.attachShadow({ mode: 'open' });
        root.innerHTML = '<div id="from" style="width:50px;height:50px;background:red"></div><div id="to" style="width:50px;height:50px;background:blue"></div>';
        const card = root.getElementById('from');
        card.onmousedown = () => { onmouseup = () => { card.style.opacity = '0.5'; }; };</script>`,
    }),
    drags('by the mouse: a drawing on a canvas', '', {
      ...mouseMoved,
      html: `<canvas id="from" width="300" height="200"></canvas><script>const pen = from.getContext('2d');
        from.onmousedown = ({ offsetX, offsetY }) => pen.moveTo(offsetX, offsetY);
        from.onmousemove = ({ offsetX, offsetY, buttons }) => { if (buttons) { pen.lineTo(offsetX, offsetY); pen.stroke(); } };</script>`,
      steps: [{ action: 'drag', target: css('#from'), by: { x: 60, y: 20 } }],
    }),
    drags('by the mouse: a text that is selected', '', {
      ...mouseMoved,
      html: '<p id="from" style="width:200px">Some words of a text</p>',
      steps: [{ action: 'drag', target: css('#from'), fromPosition: { x: 2, y: 8 }, by: { x: 80, y: 0 } }],
    }),
    drags('by the mouse: a drop that selects text only', '<p id="from">From here</p><p id="to">To there</p>', unmoved),
    drags('the dragged element is far below', `${tall}${board}${tall}`),
  ],
};
