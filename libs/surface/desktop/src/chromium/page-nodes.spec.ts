import { MASK } from '@pilothouse/core/secret/secret-masker';
import { SecretRedactor } from '../redaction/secret-redactor.ts';
import { pageBus, pageTextParts, parsePageElementPath, pidOfPageBus, scaleOf } from './page-nodes.ts';

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

test('each text of a page is a part, so that a short secret is masked as a whole part', () => {
  const parts = pageTextParts(7, ['PIN', '47', 'Row 47 of 50']);
  expect(parts.map(({ bus, text }) => [bus, text])).toEqual([
    [pageBus(7), 'PIN'],
    [pageBus(7), '47'],
    [pageBus(7), 'Row 47 of 50'],
  ]);
  const redactor = new SecretRedactor();
  redactor.add({ texts: ['47'], field: { bus: ':1.5', path: '/1' }, app: 'chromium', isHidden: false });
  expect(parts.map((part) => redactor.fieldText(part, part.text))).toEqual(['PIN', MASK, 'Row 47 of 50']);
});
