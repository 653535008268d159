import { button, click, css, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1200;

/** The page changes after so long, in milliseconds. */
const LATER_MS = 300;

const later = (script: string, ms = LATER_MS) => `<script>setTimeout(() => { ${script} }, ${ms});</script>`;

/** A case in which the click waits for the page. */
const waits = (
  name: string,
  html: string,
  selector = '#go',
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: 'page-click.spec.ts',
  html,
  steps: [click(selector)],
  playwright: 'waits, then clicks',
  outcome: { notes: 'clicked' },
  ...overrides,
});

/** A case in which the click never comes. */
const never = (
  name: string,
  html: string,
  message: string,
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({
  name,
  from: 'page-click-timeout.spec.ts',
  html,
  steps: [click('#go')],
  timeoutMs: SHORT_MS,
  playwright: 'times out, clicks nothing',
  outcome: { error: 'TARGET_NOT_ACTIONABLE', message },
  ...overrides,
});

const overlay = (style = '') =>
  `<div id="over" style="position:absolute;left:0;top:0;width:400px;height:400px;${style}" onclick="note('over')"></div>`;

/** Clicks that wait, and clicks that never come. */
export const clickWaitCases: ConformanceGroup = {
  name: 'click: waiting',
  cases: [
    waits('display: none goes', button('display:none') + later(`go.style.display = 'block'`)),
    waits('visibility: hidden goes', button('visibility:hidden') + later(`go.style.visibility = 'visible'`)),
    waits(
      'the parent is hidden at first',
      `<div id="outer" style="display:none">${button()}</div>${later(`outer.style.display = 'block'`)}`,
    ),
    waits(
      'a button is enabled later, found by its inner text',
      `<button disabled onclick="note('clicked')"><span>Click target</span></button>${later(`document.querySelector('button').disabled = false`)}`,
      'span',
    ),
    waits(
      'an input is enabled later',
      `<input id="go" disabled onclick="note('clicked')">${later('go.disabled = false')}`,
    ),
    waits(
      'a select is enabled later',
      `<select id="go" disabled><option>Hello</select><script>go.onmousedown = (event) => { note('clicked'); event.preventDefault(); };</script>${later('go.disabled = false')}`,
    ),
    waits(
      'a button has pointer-events: none at first',
      `<button id="b" style="pointer-events:none" onclick="note('clicked')"><span>Click target</span></button>${later(`b.style.pointerEvents = ''`)}`,
      'span',
    ),
    waits(
      'a label has pointer-events: none at first',
      `<label id="b" style="pointer-events:none" onclick="note('clicked')"><span>Click target</span></label>${later(`b.style.pointerEvents = ''`)}`,
      'span',
    ),
    waits(
      'an element flies over the button',
      `<style>@keyframes fly { from { left: -300px } to { left: 600px } }</style>${button('position:absolute;left:0;top:0;width:200px')}<div style="position:absolute;top:0;left:600px;width:500px;height:40px;background:red;animation:fly .6s linear"></div>`,
    ),
    waits(
      'a transition moves the button',
      `${button('transition:margin .4s linear;display:block;width:200px;height:20px;border:0')}<script>document.body.style.margin = '0'; requestAnimationFrame(() => requestAnimationFrame(() => { go.style.marginLeft = '200px'; })); go.addEventListener('click', ({ pageX }) => note(pageX));</script>`,
      '#go',
      {
        steps: [{ action: 'click', target: { css: '#go' } }],
        playwright: 'clicks at the end of the transition',
        outcome: { notes: 'clicked 300' },
      },
    ),
    waits(
      'a script moves the button for a while',
      `${button('position:relative')}<script>let x = 0; const move = () => { x += 3; go.style.left = x + 'px'; if (x < 120) requestAnimationFrame(move); }; move();</script>`,
      '#go',
      { from: 'page-click.spec.ts, elementhandle-click.spec.ts' },
    ),
    waits(
      'the element is replaced after its animation',
      `<div id="at">${button('position:relative')}</div><script>let x = 0; const move = () => { x += 5; document.getElementById('go').style.left = x + 'px'; if (x < 100) requestAnimationFrame(move); else at.innerHTML = at.innerHTML; }; move();</script>`,
    ),
    waits(
      'an animation comes from outside of the view',
      `<style>@keyframes move { from { left: -300px } to { left: 0 } } #go { position: absolute; left: -300px; top: 0; width: 200px; height: 60px } #go.animated { animation: .4s linear .2s move forwards }</style><div style="position:relative;width:300px;height:300px">${button()}</div><script>go.className = 'animated';</script>`,
    ),
    waits('an overlay fades and leaves', `${button()}${overlay()}${later(`over.remove()`, 500)}`, '#go', {
      from: 'page-click-timeout-3.spec.ts',
    }),
    waits(
      'the element comes late',
      `<div id="at"></div>${later(`at.innerHTML = ${JSON.stringify(button()).replaceAll('<', '\\u003c')}`)}`,
    ),
    never(
      'a disabled button by its inner text',
      `<button disabled onclick="note('clicked')"><span id="go">Click target</span></button>`,
      'it is disabled',
    ),
    never('a disabled button', button().replace('<button', '<button disabled'), 'it is disabled'),
    never('a button behind an overlay', `${button()}${overlay()}`, 'it is covered by <div id="over"'),
    never(
      'a button behind a part of an overlay',
      `${button()}<div style="position:absolute;left:0;top:0;width:400px;height:400px"><div id="inner" style="position:absolute;inset:0"></div></div>`,
      'it is covered by <div id="inner"',
    ),
    never(
      'a button that moves for ever',
      `${button('position:relative')}<script>let x = 0; const move = () => { x = (x + 3) % 300; go.style.left = x + 'px'; requestAnimationFrame(move); }; move();</script>`,
      'it is moving',
      { from: 'page-click-timeout-4.spec.ts' },
    ),
    never('display: none stays', button('display:none'), 'No element found', {
      from: 'page-click-timeout-2.spec.ts',
      outcome: { error: 'TARGET_NOT_FOUND' },
      playwright: 'times out: the element is not visible',
      ours: 'TARGET_NOT_FOUND',
      deviation: 'Only visible elements are targets. The message names visible elements.',
    }),
    never('visibility: hidden stays', button('visibility:hidden'), 'No element found', {
      from: 'page-click-timeout-2.spec.ts',
      outcome: { error: 'TARGET_NOT_FOUND' },
      playwright: 'times out: the element is not visible',
      ours: 'TARGET_NOT_FOUND',
      deviation: 'Only visible elements are targets. The message names visible elements.',
    }),
    never('a line break is no target', 'hello<br id="go">goodbye', '', {
      from: 'elementhandle-click.spec.ts',
      outcome: { error: 'TARGET_NOT_FOUND' },
      playwright: 'fails: outside of the viewport',
      ours: 'TARGET_NOT_FOUND',
      deviation: 'An element without a box is not visible.',
    }),
    {
      name: 'aria-disabled',
      from: 'page-click.spec.ts',
      html: `<div id="go" role="button" aria-disabled="true" onclick="note('clicked')">Go</div>`,
      steps: [{ action: 'click', target: css('#go') }],
      timeoutMs: SHORT_MS,
      playwright: 'waits until it is enabled',
      outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'aria-disabled' },
    },
    {
      name: 'a label of a disabled field',
      from: 'page-click.spec.ts',
      html: `<label id="go">Name <input disabled></label>`,
      steps: [click('#go')],
      timeoutMs: SHORT_MS,
      playwright: 'waits until the field is enabled',
      outcome: { error: 'TARGET_NOT_ACTIONABLE', message: 'it is disabled' },
    },
  ],
};
