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

/** The pointer is not over the target afterwards. */
const moved: Pick<ConformanceCase, 'ours' | 'deviation' | 'outcome'> = {
  ours: 'unverifiable',
  deviation: 'The step leaves the pointer over the element, and it is elsewhere.',
  outcome: { effect: 'unverifiable', message: 'moved away or was covered' },
};

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
        ...moved,
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
      { from: 'hit-target.browser.spec.ts', playwright: 'hovers: the first move hits it', ...moved },
    ),
  ],
};
