import { strategyOf } from './read-strategy.ts';

test.each([
  ['gtk', '3.24.38', 'mousepad', 'matches', 'showing'],
  ['GTK', '4.8.3', 'org.gnome.texteditor', 'walk', 'visible'],
  ['Chromium', '130', 'chromium', 'matches', 'showing'],
  // GetMatches of Firefox does not reach the page.
  ['Gecko', '128', 'firefox-esr', 'walk', 'showing'],
  ['Qt', '5.15', 'featherpad', 'walk', 'showing'],
  // LibreOffice with libreoffice-gtk3 says that it is GTK: GetMatches on Calc does not end there either.
  ['gtk', '3.24.38', 'libreoffice-calc', 'walk', 'showing'],
  ['VCL', '7.4', 'libreoffice-calc', 'walk', 'showing'],
  ['gtk', '3.24.38', 'soffice', 'walk', 'showing'],
  ['gtk', '3.24.38', 'libreoffice-writer', 'matches', 'showing'],
])('%s %s, %s: read by %s of what is %s', (toolkit, version, appId, method, inView) => {
  expect(strategyOf(toolkit, version, appId)).toMatchObject({ method, inView });
});
