import { matchingEntries, parseEntry, parseExec, similarIds } from './desktop-entry.ts';

test.each([
  ['mousepad %U', ['a.txt'], { command: 'mousepad', args: ['a.txt'] }],
  ['mousepad %U', [], { command: 'mousepad', args: [] }],
  ['libreoffice --calc', ['a b.ods'], { command: 'libreoffice', args: ['--calc', 'a b.ods'] }],
  [
    '"/opt/My App/run" --title "a \\"b\\" c" %f',
    ['x'],
    { command: '/opt/My App/run', args: ['--title', 'a "b" c', 'x'] },
  ],
  ['viewer %i %c 100%%', [], { command: 'viewer', args: ['100%'] }],
  ['tool ""', [], { command: 'tool', args: [''] }],
])('%s with %j', (exec, files, command) => expect(parseExec(exec, files)).toEqual(command));

test('a file name is one argument, whatever is in it', () => {
  expect(parseExec('mousepad %F', ['$(reboot)', '; rm -rf /'])).toEqual({
    command: 'mousepad',
    args: ['$(reboot)', '; rm -rf /'],
  });
});

test('an entry has the fields of its main group', () => {
  const text =
    '[Desktop Entry]\nType=Application\nName=Mousepad\nName[de]=Editor\nExec = mousepad %U\n[Desktop Action x]\nName=Other\nExec=rm';
  expect(parseEntry('org.xfce.mousepad', text)).toEqual({
    id: 'org.xfce.mousepad',
    name: 'Mousepad',
    exec: 'mousepad %U',
    isHidden: false,
    needsTerminal: false,
  });
  expect(parseEntry('vim', '[Desktop Entry]\nName=Vim\nTerminal=true').needsTerminal).toBe(true);
  expect(parseEntry('x', '[Desktop Entry]\nName=X\nNoDisplay=true').isHidden).toBe(true);
});

test.each([
  ['org.xfce.mousepad', ['org.xfce.mousepad']],
  ['mousepad', ['org.xfce.mousepad']],
  ['libreoffice-calc', ['libreoffice-calc']],
  ['xterm', ['debian-xterm']],
  ['Text-Editor', ['org.gnome.TextEditor', 'other.editor']],
  ['pad', []],
])('%s is %j', (app, ids) => {
  const entries = [
    { id: 'org.xfce.mousepad', name: 'Mousepad' },
    { id: 'libreoffice-calc', name: 'LibreOffice Calc' },
    { id: 'debian-xterm', name: 'XTerm' },
    { id: 'org.gnome.TextEditor', name: 'Text Editor' },
    { id: 'other.editor', name: 'Text Editor' },
  ];
  expect(matchingEntries(entries, app).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['libreofice-calc', ['libreoffice-calc']],
  ['mousepad2', ['org.xfce.mousepad']],
  ['ledgr', ['ledger']],
  ['no-such-app', []],
])('%s is similar to %j', (app, ids) => {
  const entries = [
    { id: 'org.xfce.mousepad', name: 'Mousepad' },
    { id: 'libreoffice-calc', name: 'LibreOffice Calc' },
  ];
  expect(similarIds(app, ['ledger'], entries)).toEqual(ids);
});
