import { placeLabel } from './surface-labels.ts';

test.each([
  ['https://example.com/a', 'Shop', 'Shop · https://example.com/a'],
  ['https://example.com/a', '', 'https://example.com/a'],
  ['app://mousepad/n%C3%B6te.txt%20-%20Mousepad', 'nöte.txt - Mousepad', 'mousepad · nöte.txt - Mousepad'],
  ['app://libreoffice%20calc/', '', 'libreoffice calc'],
  ['about:desktop', '', 'No window'],
  // Workers send it: it may be malformed.
  ['app://%E0%A4/x', 'x', '%E0%A4 · x'],
])('the place %s with the title "%s" is "%s"', (url, title, label) => {
  expect(placeLabel({ url, title })).toBe(label);
});
