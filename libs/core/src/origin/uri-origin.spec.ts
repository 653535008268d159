import { parseHostRules } from '../egress/host-rules.ts';
import {
  applicationUri,
  EMPTY_DESKTOP_URI,
  hasSameOrigin,
  matchesApplication,
  matchesSite,
  uriOriginOf,
} from './uri-origin.ts';

test.each([
  ['https://Shop.test/cart?item=1#top', 'site', 'https://shop.test'],
  ['https://shop.test:443/', 'site', 'https://shop.test'],
  ['http://shop.test:8080/', 'site', 'http://shop.test:8080'],
  ['http://[::1]:3000/x', 'site', 'http://[::1]:3000'],
  ['blob:https://shop.test/0a1b', 'site', 'https://shop.test'],
  ['app://mousepad/note.txt%20-%20Mousepad', 'application', 'app://mousepad'],
  ['app://Org.Gnome.TextEditor/', 'application', 'app://org.gnome.texteditor'],
  ['app://mousepad', 'application', 'app://mousepad'],
  // The parts of a URL authority have no meaning in the id of an application.
  ['app://shop.test:80/', 'application', 'app://shop.test%3A80'],
  ['app://user@mousepad/', 'application', 'app://user%40mousepad'],
  ['app:///Untitled', 'opaque', null],
  ['app://%zz/', 'opaque', null],
  ['app://*/', 'opaque', null],
  ['app://libreoffice-%2A/', 'opaque', null],
  [EMPTY_DESKTOP_URI, 'opaque', null],
  ['about:blank', 'blank', null],
  ['about:blank#x', 'blank', null],
  ['about:srcdoc', 'blank', null],
  ['chrome-error://chromewebdata/', 'blank', null],
  ['about:settings', 'opaque', null],
  ['data:text/html,<p>Hello</p>', 'opaque', null],
  ['blob:null/0a1b', 'opaque', null],
  ['file:///etc/passwd', 'opaque', null],
  ['javascript:alert(1)', 'opaque', null],
  ['', 'opaque', null],
  ['null', 'opaque', null],
  ['https://', 'opaque', null],
] as const)('gives the origin of %s', (uri, kind, id) => {
  expect(uriOriginOf(uri)).toMatchObject({ kind, id });
});

describe('hasSameOrigin', () => {
  it('compares the site or the application, not the page or the window', () => {
    expect(hasSameOrigin('https://shop.test/a', 'https://shop.test/b?c')).toBe(true);
    expect(hasSameOrigin('https://shop.test/', 'https://shop.test:8443/')).toBe(false);
    expect(hasSameOrigin('app://mousepad/One', 'app://mousepad/Two')).toBe(true);
    expect(hasSameOrigin('app://mousepad/One', 'app://xterm/One')).toBe(false);
    expect(hasSameOrigin('app://shop.test/', 'https://shop.test/')).toBe(false);
  });

  it('is false for two URIs without an origin', () => {
    expect(hasSameOrigin('data:text/html,a', 'data:text/html,a')).toBe(false);
    expect(hasSameOrigin('about:blank', 'about:blank')).toBe(false);
    expect(hasSameOrigin('app:///One', 'app:///One')).toBe(false);
  });
});

test('gives one id to an application, however its window names it', () => {
  expect(applicationUri('Mousepad', 'a/b?c#d')).toBe('app://mousepad/a%2Fb%3Fc%23d');
  expect(uriOriginOf(applicationUri('My App/ä', 'x'))).toMatchObject({
    name: 'my app/ä',
    id: 'app://my%20app%2F%C3%A4',
  });
  expect(uriOriginOf(applicationUri('\ud800', '\ud800'))).toMatchObject({ kind: 'application' });
  expect(uriOriginOf(applicationUri('', 'Untitled')).id).toBeNull();
});

test.each(['*', 'mousepad', '*.mousepad', 'org.example.tool', '*.example.tool', 'org.example.tool:80', '0.0.0.0/0'])(
  'the site rule %s matches no application',
  (pattern) => {
    for (const rule of parseHostRules([pattern])) {
      for (const uri of [
        'app://mousepad/',
        'app://org.example.tool/x',
        'app://org.example.tool:80/',
        'app://127.0.0.1/',
      ])
        expect(matchesSite(rule, uriOriginOf(uri))).toBe(false);
    }
  },
);

test('a site rule matches its sites', () => {
  const [rule] = parseHostRules(['*.shop.test']);
  if (!rule) throw new Error('The rule is not valid');
  expect(matchesSite(rule, uriOriginOf('https://www.shop.test/'))).toBe(true);
  expect(matchesSite(rule, uriOriginOf('https://shop.test.evil.test/'))).toBe(false);
  expect(matchesSite(rule, uriOriginOf('file://www.shop.test/x'))).toBe(false);
});

test.each([
  ['mousepad', 'app://mousepad/x', true],
  ['Mousepad', 'app://mousepad/x', true],
  ['org.xfce.mousepad', 'app://mousepad/x', true],
  ['mousepad', 'app://org.xfce.mousepad/x', true],
  ['libreoffice-*', 'app://libreoffice-calc/x', true],
  ['libreoffice-*', 'app://libreoffice/x', false],
  ['mousepad', 'app://notmousepad/x', false],
  ['mousepad', 'app://mousepad.evil/x', false],
  ['pad', 'app://mousepad/x', false],
  ['*', 'app://mousepad/x', false],
  ['mousepad', 'app:///mousepad', false],
  ['shop.test', 'https://shop.test/', false],
  ['shop*', 'https://shop.test/', false],
  // Dialogs of LibreOffice, and its windows without a document.
  ['libreoffice-calc', 'app://soffice/Save', true],
  ['libreoffice-*', 'app://soffice/Save', true],
  ['soffice', 'app://libreoffice-calc/a.ods', true],
  ['org.libreoffice.LibreOffice', 'app://soffice/Save', true],
  ['libreoffice-calc', 'app://libreoffice-writer/a.odt', false],
  ['mousepad', 'app://soffice/Save', false],
  ['soffice', 'app://mousepad/Save', false],
  ['notlibreoffice', 'app://soffice/Save', false],
])('the application rule %s and %s: %s', (rule, uri, isMatch) => {
  expect(matchesApplication(rule, uriOriginOf(uri))).toBe(isMatch);
});
