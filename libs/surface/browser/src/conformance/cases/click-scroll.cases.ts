import { button, click, css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'page-click.spec.ts';

const clicks = (name: string, html: string, overrides: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  from: FROM,
  html,
  steps: [click('#go')],
  playwright: 'clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

const tall = '<div style="height:3000px"></div>';
const small = { width: 500, height: 240 };
const item = (index: number) =>
  index === 9 ? `<li id="go" onclick="note('clicked')">hi9</li>` : `<li id="li${index}">hi${index}</li>`;
const items = Array.from({ length: 14 }, (_, index) => item(index + 1)).join('');
const lists = '* { padding: 0; margin: 0 } li { height: 80px; border: 1px solid black; list-style: none }';

const frame = (style: string, content = button(), html = '') =>
  `<style>body, html, iframe { margin: 0; padding: 0; border: none } iframe { border: 4px solid black; margin-left: 33px; margin-top: 24px; width: 400px; height: 400px; ${style} }</style>${html}<iframe srcdoc="${content.replaceAll('"', '&quot;')}"></iframe>`;

/** A small target in a frame. Its click is noted by the page. */
const dot = (style = '') =>
  `<style>body, html { margin: 0; padding: 0 } div { margin-left: 10px; margin-top: 20px; width: 2px; height: 2px; ${style} }</style><div onclick="top.postMessage({ note: 'clicked' }, '*')"></div>`;

const inDot: Partial<ConformanceCase> = { steps: [{ action: 'click', target: inFrame('div') }] };

const nested = (outer: string, inner: string) => ({
  html: `<style>iframe { border: 1px solid black; margin-left: 33px; margin-top: 24px; width: 400px; height: 400px; ${outer} }</style><iframe src="PATH/outer"></iframe>`,
  documents: {
    '/outer': `<style>body { margin: 0 } iframe { border: 3px solid black; margin-left: 18px; margin-top: 14px; width: 200px; height: 200px; ${inner} }</style><iframe src="PATH/inner"></iframe>`,
    '/inner': `<style>div { margin-left: 10px; margin-top: 20px; width: 2px; height: 2px }</style><div onclick="top.postMessage({ note: 'clicked' }, '*')"></div>`,
  },
  steps: [{ action: 'click' as const, target: { css: 'div', within: { css: 'iframe', within: { css: 'iframe' } } } }],
});

/** Targets that are out of view, under headers, and in frames. */
export const clickScrollCases: ConformanceGroup = {
  name: 'click: scrolling and frames',
  cases: [
    clicks('a button far below', tall + button() + tall),
    clicks('a button far to the right', `<div style="width:4000px;text-align:right">${button()}</div>`),
    ...[0, 5, 10].map((tenths) =>
      clicks(
        `a button that reaches ${tenths * 10} pixels over the right edge`,
        button(`position:absolute;right:-${tenths * 10}px;width:160px`),
      ),
    ),
    clicks('smooth scrolling of the page', `<style>html { scroll-behavior: smooth }</style>${tall}${button()}${tall}`),
    clicks(
      'smooth scrolling of a part',
      `<div style="height:300px;overflow:auto;width:500px;scroll-behavior:smooth">${button('margin-top:2000px')}</div>`,
    ),
    clicks(
      'a sticky header',
      `<style>${lists} ol { padding-top: 160px } .fixed { position: fixed; z-index: 1001; width: 100%; background: red; height: 160px }</style><div class="fixed"></div><ol>${items}</ol><script>li14.scrollIntoView();</script>`,
      { viewport: small },
    ),
    clicks(
      'an absolute header over a list that scrolls',
      `<style>${lists} ol { height: 100vh; overflow: scroll; padding-top: 160px } body { position: relative } .fixed { position: absolute; top: 0; z-index: 1001; width: 100%; background: red; height: 160px }</style><ol>${items}</ol><div class="fixed">Overlay</div><script>document.querySelector('ol').scrollTo({ top: go.offsetTop, behavior: 'instant' });</script>`,
      { viewport: small },
    ),
    clicks(
      'a sticky footer',
      `<style>${lists} .fixed { position: fixed; bottom: 0; z-index: 1001; width: 100%; background: red; height: 160px }</style><ol>${items}</ol><div style="height:300px"></div><div class="fixed"></div>`,
      { viewport: small, from: null },
    ),
    clicks('a button in a frame', frame('', dot('width:60px;height:30px')), inDot),
    clicks('a button in a frame of another origin', `<iframe src="OTHER/frame"></iframe>`, {
      documents: { '/frame': button() },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
    clicks('a frame with a border', frame('box-sizing:border-box', dot()), inDot),
    clicks('a frame with another border', frame('', dot()), inDot),
    clicks('a frame with padding', frame('padding:13px', dot()), { ...inDot, from: null }),
    clicks('a scaled frame', frame('transform:translate(-40px, -40px) scale(0.8)', dot()), inDot),
    clicks('a frame that is larger than the view', frame('transform:scale(1.2);margin-left:100px', dot()), {
      ...inDot,
      from: null,
    }),
    clicks(
      'a frame with transforms in three dimensions',
      frame('transform:translate(100px, 100px) scale(1.2) rotate3d(1, 1, 1, 25deg)', dot()),
      inDot,
    ),
    clicks('a rotated frame', frame('margin:120px;transform:rotate(30deg)', dot()), { ...inDot, from: null }),
    clicks('a frame with the properties scale and rotate', frame('margin:120px;scale:0.8;rotate:20deg', dot()), {
      ...inDot,
      from: null,
    }),
    clicks('a frame with zoom', frame('zoom:1.5', dot('width:20px;height:20px')), { ...inDot, from: null }),
    clicks(
      'a frame in a transformed element',
      `<div style="transform:scale(0.7) rotate(10deg);margin:60px">${frame('', dot())}</div>`,
      { ...inDot, from: null },
    ),
    { ...clicks('nested transformed frames', ''), ...nested('transform:scale(0.8)', 'transform:scale(0.7)') },
    {
      ...clicks('nested rotated frames', ''),
      ...nested('transform:rotate(20deg)', 'transform:rotate(-30deg)'),
      from: null,
    },
    clicks('a frame below the view', frame('', dot('width:60px;height:30px'), tall), { ...inDot, from: null }),
    clicks('a frame of another origin below the view', `${tall}<iframe src="OTHER/frame"></iframe>${tall}`, {
      documents: { '/frame': button() },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
    clicks('far below in a frame below the view', `${tall}<iframe src="PATH/frame"></iframe>${tall}`, {
      documents: { '/frame': tall + button() },
      steps: [{ action: 'click', target: inFrame('#go') }],
    }),
    clicks(
      'a frame under a sticky header',
      `<div style="position:fixed;top:0;left:0;right:0;height:300px;background:red"></div>${tall}<iframe src="PATH/frame"></iframe>${tall}`,
      {
        documents: { '/frame': button() },
        steps: [{ action: 'click', target: inFrame('#go') }],
        viewport: { width: 500, height: 500 },
        from: null,
      },
    ),
    clicks(
      'a fixed button in a frame of another origin below the view',
      `<div style="width:100px;height:2000px"></div><iframe src="OTHER/frame"></iframe>`,
      {
        documents: { '/frame': button('position:fixed') },
        steps: [{ action: 'click', target: inFrame('#go') }],
        viewport: { width: 500, height: 500 },
        playwright: 'not in Chromium (a known defect)',
        ours: 'clicks',
        deviation: 'The element of the frame is scrolled, not its content.',
      },
    ),
    clicks('a frameset', `<iframe src="PATH/set" style="width:600px;height:300px"></iframe>`, {
      documents: {
        '/set': `<iframe src="PATH/one"></iframe><iframe src="PATH/two"></iframe>`,
        '/one': 'One',
        '/two': button(),
      },
      steps: [
        { action: 'click', target: { css: '#go', within: { css: 'iframe', nth: 1, within: { css: 'iframe' } } } },
      ],
    }),
    clicks('type into a frame below the view', `${tall}<iframe src="PATH/frame"></iframe>${tall}`, {
      from: null,
      documents: { '/frame': `<input oninput="note(value)">` },
      steps: [{ action: 'fill', target: inFrame('input'), text: 'ship' }],
      playwright: 'fills',
      outcome: { notes: 'ship' },
    }),
    clicks('check in a frame below the view', `${tall}<iframe src="PATH/frame"></iframe>${tall}`, {
      from: null,
      documents: { '/frame': `<input type="checkbox" onchange="note(checked)">` },
      steps: [{ action: 'check', target: inFrame('input') }],
      playwright: 'checks',
      outcome: { notes: 'true' },
    }),
    clicks(
      'a large button by its middle',
      `<button style="width:3000px;height:3000px" onclick="note('clicked')">Go</button>`,
      {
        steps: [{ action: 'click', target: css('button') }],
      },
    ),
  ],
};
