import type { DesktopActionContext } from '../action-context.ts';
import { fillFileDialog } from './file-dialog.actions.ts';

const dialog = { id: 1, title: 'Open', isDialog: true, isActive: false };
const question = { id: 2, title: 'Options', isDialog: true, isActive: true };
const bounds = { x: 0, y: 0, width: 40, height: 20 };
const element = (role: string, name: string, path: string, state = {}) => ({
  ...{ role, name, state, bounds, node: { bus: ':1.1', path } },
});
const ofDialog = [element('textbox', 'Name', '/name', { focused: true }), element('button', 'Open', '/open')];
const ofQuestion = [element('textbox', 'Encoding', '/encoding'), element('button', 'OK', '/ok')];

/** Fills a dialog that opens a file. Once it is confirmed, another window asks for options. */
function fill(isSameProgram: boolean) {
  let isConfirmed = false;
  let windowReads = 0;
  const answers: Record<string, () => unknown> = {
    homeFile: () => ({ path: '/home/data.csv', exists: true }),
    filesNamed: () => [],
    type: () => ({ readback: { status: 'confirmed' } }),
    readText: () => '/home/data.csv',
    doAction: () => (isConfirmed = true),
    isSameProgram: () => isSameProgram,
    // The file dialog closes later.
    windows: () => ((windowReads += 1) > 2 ? [question] : [dialog, question]),
  };
  const call = async (name: string) => answers[name]?.() ?? null;
  const read = async () => ({
    tree: { window: isConfirmed ? question : dialog, incomplete: null },
    elements: isConfirmed ? ofQuestion : ofDialog,
  });
  const timers = { monotonic: () => 0, delay: () => Promise.resolve() };
  const context = {
    ...{ session: { home: '/home', call }, screen: { read, waitUntilStable: () => Promise.resolve() } },
    ...{ timers, signal: new AbortController().signal, deadline: 10_000, guard: () => undefined },
  };
  return fillFileDialog(context as unknown as DesktopActionContext, { action: 'fillFileDialog', path: 'data.csv' });
}

test('a file whose options are asked for is not opened yet', async () => {
  expect(await fill(true)).toMatchObject({
    effect: 'unverifiable',
    effectReason: expect.stringContaining('is not opened yet: a dialog asks for options'),
  });
});

test('a dialog of another program does not end the step', async () => {
  expect(await fill(false)).toEqual({ located: null, value: { path: '/home/data.csv', exists: true } });
});
