import { button, click, css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1500;

/** A release without a press does nothing. Chromium may route it to a frame that came over the page meanwhile. */
const presses = 'pointerdown mousedown click';

/** A document that notes each press that it gets. */
const inside = `<style>html, body { margin: 0; height: 100% }</style><button style="width:100%;height:100%">Other</button><script>for (const type of '${presses}'.split(' ')) addEventListener(type, () => note('framed-' + type), true);</script>`;

/** The whole document is the target. */
const fullPageButton = `<style>html, body { margin: 0; height: 100% }</style><button id="go" style="width:100%;height:100%" onclick="note('clicked')">Go</button>`;

const cover = 'position:absolute;left:0;top:0;width:400px;height:200px;z-index:2;border:0;background:white';
const row = `<div id="row" style="width:400px;height:60px">${button('width:200px')}</div>`;
const over = (source: string) => `<iframe id="over" hidden ${source} style="${cover}"></iframe>`;
const showOnHover = `<script>row.onmouseenter = () => { over.hidden = false; };</script>`;
const showBriefly = `<script>let shown = false; row.onmouseenter = () => { if (shown) return; shown = true; over.hidden = false; setTimeout(() => { over.hidden = true; }, 400); };</script>`;

/** A frame comes over the target with the pointer: neither of them is pressed. */
const blocked = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: null,
  html,
  documents: { '/over': inside },
  steps: [click('#go')],
  timeoutMs: SHORT_MS,
  playwright: 'the frame gets the press, the click succeeds',
  ours: 'TARGET_NOT_ACTIONABLE, the frame gets no event',
  deviation: 'The interceptors of all documents wait for the press, not only that of the target.',
  outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'is covered by' },
  ...overrides,
});

/** The first try is stopped, a later one clicks. */
const retried = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase =>
  blocked(name, html, {
    timeoutMs: 10_000,
    ours: 'tries again, then clicks',
    outcome: { notes: 'clicked' },
    ...overrides,
  });

const clicks = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: null,
  html,
  documents: { '/whole': fullPageButton },
  steps: [click('#go')],
  playwright: 'clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

const framed = (origin: string) =>
  `<div id="box" style="position:relative;width:500px"><iframe id="inner" src="${origin}/whole" style="width:300px;height:100px"></iframe></div>`;
const showOnBoxHover = `<script>box.onmouseenter = () => { over.hidden = false; };</script>`;
const inInner: Partial<ConformanceCase> = {
  documents: { '/over': inside, '/whole': fullPageButton },
  steps: [{ action: 'click', target: inFrame('#go', '#inner') }],
};

/** Playwright does the same: Chromium sends the first press to the page, because the frame covered it only now. */
const same: Partial<ConformanceCase> = {
  playwright: 'times out, the page gets no event',
  ours: undefined,
  deviation: undefined,
};

/** Frames come over the target, or are it. */
export const clickFrameCases: ConformanceGroup = {
  name: 'click: a frame gets in between',
  cases: [
    blocked('a frame comes over the target', row + over('src="PATH/over"') + showOnHover),
    blocked('a frame of another origin comes over the target', row + over('src="OTHER/over"') + showOnHover, same),
    blocked(
      'a sandboxed frame comes over the target',
      row + over('sandbox="allow-scripts" src="PATH/over"') + showOnHover,
      same,
    ),
    blocked(
      'a frame in a frame comes over the target',
      row + over(`srcdoc="<iframe src='OTHER/over' style='border:0;width:400px;height:200px'></iframe>"`) + showOnHover,
    ),
    blocked(
      'a frame that a script has written comes over the target',
      `${row}${over('')}<script>over.contentDocument.open(); over.contentDocument.write('<button style="width:390px;height:190px" onmousedown="top.note(1)" onclick="top.note(2)">Other</button>'); over.contentDocument.close();</script>${showOnHover}`,
    ),
    blocked(
      'a frame is attached over the target',
      `${row}<script>row.onmouseenter = () => { const over = document.createElement('iframe'); over.src = 'PATH/over'; over.style.cssText = '${cover}'; document.body.append(over); };</script>`,
    ),
    blocked(
      'a frame comes over a checkbox',
      row.replace(/<button.*<\/button>/, '<input id="go" type="checkbox">') + over('src="OTHER/over"') + showOnHover,
      { ...same, steps: [{ action: 'check', target: css('#go') }] },
    ),
    retried('a frame comes over the target and leaves again', row + over('src="PATH/over"') + showBriefly),
    retried('a frame of another origin comes and leaves again', row + over('src="OTHER/over"') + showBriefly, {
      ...same,
      playwright: 'tries again, then clicks',
    }),
    blocked('another frame comes over a frame', framed('PATH') + over('src="PATH/over"') + showOnBoxHover, inInner),
    clicks('the target is a frame', '<iframe id="go" src="PATH/whole"></iframe>'),
    clicks('the target is a frame of another origin', '<iframe id="go" src="OTHER/whole"></iframe>'),
    clicks(
      'the target holds a frame',
      '<div id="go" style="width:300px;height:150px"><iframe src="PATH/whole" style="width:100%;height:100%"></iframe></div>',
    ),
    clicks(
      'the target holds a frame of another origin',
      '<div id="go" style="width:300px;height:150px"><iframe src="OTHER/whole" style="width:100%;height:100%"></iframe></div>',
    ),
    clicks('a frame removes itself when it is clicked', `<iframe id="inner" src="PATH/closing"></iframe>`, {
      documents: { '/closing': `<button id="go" onclick="note('clicked'); frameElement.remove()">Close</button>` },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
  ],
};
