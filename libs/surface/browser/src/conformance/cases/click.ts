import { button, click, css, type ConformanceGroup } from '../case.ts';

const FROM = 'page-click.spec.ts';

/** Milliseconds for a case in which the action has to fail. */
const SHORT_MS = 1000;

/** Clicks on elements of the page itself. */
export const clickCases: ConformanceGroup = {
  name: 'click',
  cases: [
    {
      name: 'a button',
      from: FROM,
      html: button(),
      steps: [click('#go')],
      playwright: 'clicks',
      outcome: { notes: 'clicked' },
    },
    {
      name: 'a shape of an SVG',
      from: FROM,
      html: `<svg height="100" width="100"><circle onclick="note('clicked')" cx="50" cy="50" r="40"/></svg>`,
      steps: [click('circle')],
      playwright: 'clicks',
      outcome: { notes: 'clicked' },
    },
    {
      name: 'a row shows another button under the pointer',
      from: null,
      html: `<div id="row">${button('width:200px')}<button id="delete" hidden style="position:absolute;left:8px;top:8px;width:200px" onclick="note('deleted')">Delete</button></div><script>row.onmouseenter = () => { document.getElementById('delete').hidden = false; };</script>`,
      steps: [{ action: 'click', target: { role: 'button', name: 'Go' } }],
      timeoutMs: SHORT_MS,
      playwright: 'fails: another element intercepts pointer events',
      outcome: { error: 'TARGET_NOT_READY', message: 'is covered by <button id="delete"' },
    },
    {
      name: 'a checkbox',
      from: FROM,
      html: `<input id="agree" type="checkbox" onchange="note(checked)">`,
      steps: [{ action: 'click', target: css('#agree') }],
      playwright: 'clicks',
      outcome: { notes: 'true' },
    },
  ],
};
