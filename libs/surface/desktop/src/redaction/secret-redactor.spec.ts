import { atspiRoles } from '../accessibility/roles.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import { redactAreas, SecretRedactor } from './secret-redactor.ts';
import type { SecretInput } from '../session/session-protocol.ts';
import type { WindowTree } from '../session/session-protocol.ts';

const SECRET = 'Tr0ub4dor';
const field = { bus: ':1.2', path: '/field' };
const password = { bus: ':1.2', path: '/password' };

const redactorOf = (overrides: Partial<SecretInput> = {}) => {
  const redactor = new SecretRedactor();
  redactor.add({ texts: [SECRET], field, app: 'mousepad', isHidden: false, ...overrides });
  return redactor;
};
const nodeOf = (overrides: Partial<AccessibleNode>): AccessibleNode => ({
  ...{ bus: ':1.2', path: '/other', role: atspiRoles.entry, name: '', states: [0, 0] },
  extents: { x: 10, y: 20, width: 100, height: 30 },
  ...overrides,
});
const treeOf = (app: string, nodes: AccessibleNode[], overrides: Partial<WindowTree> = {}): WindowTree => ({
  window: {
    ...{ id: 1, title: 'Note', appId: app, instance: app, pid: 1, isActive: true, isMinimized: false, isDialog: false },
    ...{ isMaximized: false, isFullscreen: false },
    bounds: { x: 0, y: 50, width: 400, height: 300 },
  },
  ...{ nodes, incomplete: null, isAccessible: true },
  ...overrides,
});

test.each([
  ['a text with it', `a ${SECRET} b`, 'a •••• b'],
  ['a text that ends in the middle of it', 'password: Tr0ub4', 'password: ••••'],
  ['a text that ends with three of its characters', 'is Tr0', 'is Tr0'],
  ['another text', 'Hello', 'Hello'],
])('masks %s', (_, text, masked) => expect(redactorOf().text(text)).toBe(masked));

test('masks the longest of several secrets first, and short ones only as the whole text', () => {
  const redactor = redactorOf({ texts: ['pass', 'password1', '42'] });
  expect(redactor.text('password1 pass 42')).toBe('•••• •••• 42');
  expect(redactor.text(' 42 ')).toBe('••••');
});

test('a field that received a secret has no text, even if the program changed it', () => {
  const { nodes } = redactorOf().tree(
    treeOf('mousepad', [
      nodeOf({ ...field, value: 'Tr0ub4-corrected' }),
      nodeOf({ value: 'x', name: SECRET, label: SECRET, description: SECRET }),
    ]),
  );
  expect(nodes).toMatchObject([{ value: '••••' }, { value: 'x', name: '••••', label: '••••', description: '••••' }]);
});

test('masks the texts of an element of a page, not its role and tags', () => {
  const page = {
    ...{ interactive: true, role: 'searchbox', state: {}, tags: ['search' as const], point: { x: 1, y: 1 } },
    ...{ description: 'search', linkUrl: 'https://shop.example/?q=search' },
  };
  const redactor = redactorOf({ texts: ['search', 'searchbox'] });
  const { nodes } = redactor.tree(treeOf('chromium', [nodeOf({ name: 'search', page })]));
  expect(nodes).toMatchObject([{ name: '••••', page: { role: 'searchbox', tags: ['search'], description: '••••' } }]);
  expect(nodes[0]?.page?.linkUrl).toBe('https://shop.example/?q=••••');
});

describe('the covered areas', () => {
  it('are the field, password fields, and everything with the text', () => {
    const nodes = [
      nodeOf({ ...field, value: '' }),
      nodeOf({ role: atspiRoles.passwordText, value: '•••' }),
      nodeOf({ name: `Search for ${SECRET}`, value: '' }),
      // A field whose text was not read.
      nodeOf({ name: 'Note' }),
      nodeOf({ name: 'Close', value: '' }),
    ];
    expect(redactorOf().secretBounds(treeOf('mousepad', nodes))).toHaveLength(4);
  });

  it('are the title bar, if the title has the text', () => {
    const tree = treeOf('mousepad', []);
    const window = tree.window && { ...tree.window, title: `${SECRET} - Mousepad` };
    expect(redactorOf().secretBounds({ ...tree, window })).toEqual([{ x: 0, y: 10, width: 400, height: 40 }]);
  });

  it('are the whole window, if it cannot be read and may show a secret', () => {
    const whole = [{ x: 0, y: 50, width: 400, height: 300 }];
    const hidden = redactorOf({ field: password, isHidden: true });
    const unreadTrees: Partial<WindowTree>[] = [{ isAccessible: false }, { incomplete: 'timeout' }];
    for (const unread of unreadTrees) {
      expect(redactorOf().secretBounds(treeOf('xterm', [], unread))).toEqual(whole);
      expect(hidden.secretBounds(treeOf('mousepad', [], unread))).toEqual(whole);
      // A password field cannot be copied into another application.
      expect(hidden.secretBounds(treeOf('xterm', [], unread))).toEqual([]);
    }
  });
});

test('paints areas black, cut at the edges of the image', () => {
  const [width, height] = [20, 10];
  const data = Buffer.alloc(width * height * 4, 255);
  redactAreas({ width, height, data }, [
    { x: 4, y: 4, width: 2, height: 2 },
    { x: 18, y: -5, width: 50, height: 7 },
  ]);
  const isBlack = (x: number, y: number) => data.readUInt32LE((y * width + x) * 4) === 0xff000000;
  expect([isBlack(2, 2), isBlack(7, 7), isBlack(19, 0), isBlack(16, 3)]).toEqual([true, true, true, true]);
  expect([isBlack(1, 2), isBlack(8, 8), isBlack(0, 0), isBlack(19, 6)]).toEqual([false, false, false, false]);
});
