import { button, click, css, type ConformanceGroup } from '../case.ts';

const FROM = 'page-click.spec.ts';

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
      name: 'a checkbox',
      from: FROM,
      html: `<input id="agree" type="checkbox" onchange="note(checked)">`,
      steps: [{ action: 'click', target: css('#agree') }],
      playwright: 'clicks',
      outcome: { notes: 'true' },
    },
  ],
};
