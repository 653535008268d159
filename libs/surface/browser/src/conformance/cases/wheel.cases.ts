import type { Action } from '@pilothouse/contract/actions/action-sets';
import { css, inFrame, type ConformanceCase, type ConformanceGroup } from '../conformance-case.ts';

const FROM = 'wheel.spec.ts';

const large = '<div id="d" style="width:5000px;height:5000px"></div>';
const scrollNote = `<script>addEventListener('scrollend', () => note(scrollX + ',' + scrollY))</script>`;
const wheelNote = (code = '') =>
  `<script>addEventListener('wheel', (event) => { note([event.deltaX, event.deltaY, event.deltaMode]); ${code} }, { passive: false })</script>`;
const cancel = 'event.preventDefault();';
const turn = (x: number, y: number, selector?: string): Action => ({
  action: 'scroll',
  by: { x, y },
  ...(selector !== undefined && { target: css(selector) }),
});
const toEdge = (edge: 'top' | 'bottom' | 'left' | 'right', selector?: string): Action => ({
  action: 'scroll',
  to: edge,
  ...(selector !== undefined && { target: css(selector) }),
});
const box = (content: string, style = '') =>
  `<div id="box" style="width:200px;height:100px;overflow:auto;${style}" onscrollend="note('box:' + scrollLeft + ',' + scrollTop)">${content}</div>`;

const scrolls = (
  name: string,
  html: string,
  steps: readonly Action[],
  notes: string,
  overrides: Partial<ConformanceCase> = {},
): ConformanceCase => ({ name, from: null, html, steps, playwright: notes, outcome: { notes }, ...overrides });

/** Steps that moved nothing, as far as the page shows. */
const unmoved = (notes: string, message: string, effect: 'unverifiable' | 'none'): Partial<ConformanceCase> => ({
  playwright: 'turns the wheel; nothing moves',
  ours: effect,
  deviation: 'The step is to scroll, and nothing moved.',
  outcome: { ...(notes !== '' && { notes }), effect, message },
});

/** The mouse wheel and scrolling. */
export const wheelCases: ConformanceGroup = {
  name: 'scroll',
  cases: [
    scrolls('the events of the wheel', large + wheelNote(), [turn(0, 100)], '0,100,0', { from: FROM }),
    scrolls('the page without listeners', large + scrollNote, [turn(0, 100)], '0,100', { from: FROM }),
    scrolls('to the side', large + scrollNote, [turn(100, 0)], '100,0', { from: FROM }),
    scrolls('a page that cancels the wheel', large + wheelNote(cancel), [turn(0, 100)], '0,100,0', {
      from: FROM,
      ...unmoved('0,100,0', 'handled the mouse wheel', 'unverifiable'),
    }),
    scrolls(
      'a page that moves its content itself',
      `<div id="moved" style="height:90px"></div>${wheelNote(`${cancel} moved.style.transform = 'translateY(-100px)';`)}${large}`,
      [turn(0, 100)],
      '0,100,0',
    ),
    scrolls(
      'a map that zooms by the wheel',
      `<div id="map" style="width:200px;height:200px"><b>1</b></div><script>map.addEventListener('wheel', (event) => { event.preventDefault(); map.firstChild.textContent = '2'; note('zoom'); }, { passive: false })</script>`,
      [turn(0, -100, '#map')],
      'zoom',
    ),
    scrolls(
      'a page that has nothing to scroll',
      '<p>Short</p>',
      [turn(0, 100)],
      '-',
      unmoved('', 'can scroll', 'none'),
    ),
    scrolls('a page at its end', large, [toEdge('bottom'), turn(0, 100)], '-', unmoved('', 'can scroll', 'none')),
    ...[
      ['a clock', 'clock.textContent = Date.now()'],
      ['an animation', 'clock.style.opacity = Math.random()'],
      ['a ticker', `clock.replaceChildren(Object.assign(document.createElement('b'), { textContent: Date.now() }))`],
    ].map(([name, code]) =>
      scrolls(
        `a page at its end with ${name}`,
        `<p id="clock" style="height:20px;overflow:hidden;position:fixed;top:0">-</p>${large}<script>setInterval(() => { ${code}; }, 10)</script>`,
        [toEdge('bottom'), turn(0, 100)],
        '-',
        unmoved('', 'can scroll', 'none'),
      ),
    ),
    scrolls(
      'a page that loads more at its end',
      `${large}<script>let loaded = false; addEventListener('wheel', () => { if (!loaded) { loaded = true; note('more'); document.body.append(d.cloneNode()); } }, { passive: true })</script>`,
      [toEdge('bottom'), turn(0, 100)],
      'more',
    ),
    scrolls('to the bottom of a page at its bottom', large, [toEdge('bottom'), toEdge('bottom')], '-', {
      playwright: 'is at the bottom',
    }),
    scrolls('a box', box(large), [turn(0, 100, '#box')], 'box:0,100'),
    scrolls('a box by an element in it', box(large), [turn(0, 100, '#d')], 'box:0,100'),
    scrolls('a box to its bottom', box(large), [toEdge('bottom', '#box')], 'box:0,4900'),
    scrolls('a box to its right', box(large), [toEdge('right', '#box')], 'box:4800,0'),
    scrolls(
      'the page around a box that has nothing to scroll',
      box('Short') + large + scrollNote,
      [turn(0, 100, '#box')],
      '0,100',
    ),
    scrolls(
      'a page that scrolls smoothly',
      `<style>html { scroll-behavior: smooth }</style>${large}${scrollNote}`,
      [turn(0, 200)],
      '0,200',
    ),
    scrolls(
      'a page in a frame',
      '<iframe src="PATH/frame"></iframe>',
      [{ action: 'scroll', by: { x: 0, y: 50 }, target: inFrame('#d') }],
      '0,50',
      {
        documents: { '/frame': large + scrollNote },
      },
    ),
    scrolls(
      'a page that scrolls back',
      `${large}<script>addEventListener('scroll', () => scrollTo(0, 0))</script>`,
      [toEdge('bottom')],
      '-',
      unmoved('', 'moved back', 'unverifiable'),
    ),
    scrolls(
      'an element into view',
      `<div style="height:3000px"></div><b id="b">Here</b><script>new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting) note('shown') }).observe(b)</script>`,
      [{ action: 'scroll', target: css('#b') }],
      'shown',
      { from: 'elementhandle-scroll-into-view.spec.ts', playwright: 'shows it' },
    ),
    scrolls(
      'an element that is out of reach',
      `<b id="b" style="position:fixed;left:-500px;top:0">Here</b>`,
      [{ action: 'scroll', target: css('#b') }],
      '-',
      {
        playwright: 'succeeds; the element is out of view',
        ours: 'unverifiable',
        deviation: 'The step is to show the element, and it is out of view.',
        outcome: { effect: 'unverifiable', message: 'out of view' },
      },
    ),
  ],
};
