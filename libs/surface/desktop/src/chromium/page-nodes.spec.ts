import { pageBus, parsePageElementPath, pidOfPageBus, scaleOf } from './page-nodes.ts';

test.each([
  ['the scale of the screen', { width: 1050, height: 637 }, { width: 1050, height: 637 }, 1],
  ['a screen of 144 dpi', { width: 1050, height: 636 }, { width: 700, height: 424 }, 1.5],
  ['a zoom of 110 %, in whole numbers', { width: 1050, height: 637 }, { width: 955, height: 579 }, 1050 / 955],
  ['a panel beside the page', { width: 300, height: 637 }, { width: 1050, height: 637 }, null],
  ['a page without a size', { width: 1050, height: 637 }, { width: 0, height: 0 }, null],
])('the scale of a viewport: %s', (_, area, viewport, scale) => {
  expect(scaleOf({ x: 10, y: 90, ...area }, viewport)).toBe(scale);
});

test('the reference of an element of a page names its browser, frame, document and id', () => {
  expect(pidOfPageBus(pageBus(4711))).toBe(4711);
  expect(pidOfPageBus(':1.23')).toBeNull();
  expect(parsePageElementPath('/F75ECF3D/2/17')).toEqual({ frame: 'F75ECF3D', document: 2, id: 17 });
  expect(() => parsePageElementPath('/org')).toThrow('/org is not an element of a page');
});
