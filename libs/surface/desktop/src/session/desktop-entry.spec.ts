import { parseExec } from './desktop-entry.ts';

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
