import { strategyOf } from './read-strategy.ts';

test.each([
  ['gtk', '3.24.38', 'mousepad', 'collection', 'showing'],
  ['GTK', '4.8.3', 'org.gnome.texteditor', 'traversal', 'visible'],
  ['Chromium', '130', 'chromium', 'collection', 'showing'],
  // GetMatches of Firefox does not reach the page.
  ['Gecko', '128', 'firefox-esr', 'traversal', 'showing'],
  ['Qt', '5.15', 'featherpad', 'traversal', 'showing'],
  // LibreOffice with libreoffice-gtk3 says that it is GTK: GetMatches on Calc does not end there either.
  ['gtk', '3.24.38', 'libreoffice-calc', 'traversal', 'showing'],
  ['VCL', '7.4', 'libreoffice-calc', 'traversal', 'showing'],
  ['gtk', '3.24.38', 'soffice', 'traversal', 'showing'],
  ['gtk', '3.24.38', 'libreoffice-writer', 'collection', 'showing'],
])('%s %s, %s: read by %s of objects with the state %s', (toolkit, version, appId, method, visibleState) => {
  expect(strategyOf(toolkit, version, appId)).toMatchObject({ method, visibleState });
});
