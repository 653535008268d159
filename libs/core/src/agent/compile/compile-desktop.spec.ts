import { compile, element, goalEvents, TARGET_NOT_FOUND, type TestAction } from './compile-run.fixture.ts';

/* Goals on a desktop: windows instead of pages. */

const EDITOR = 'app://mousepad/Untitled%201';
const HOME = '%2Ftmp%2Fpilothouse%2Fdesktop-aBc%2Fhome';
const press = (on: string, overrides: Partial<TestAction> = {}): TestAction => ({
  ...{ action: { action: 'press', key: 'Enter' }, on, title: '' },
  ...overrides,
});
const fillName: TestAction = {
  ...{ action: { action: 'fill', target: element, text: 'b c.txt' }, on: 'app://thunar/Rename', title: 'Rename' },
  locators: [{ label: 'Name' }],
};
const rename: TestAction = {
  ...{ action: { action: 'click', target: element }, on: 'app://thunar/Rename', title: 'Rename' },
  locators: [{ role: 'button', name: 'Rename' }],
};
const stepsOf = (actions: readonly TestAction[], end: string) =>
  compile(goalEvents(actions, { end }), { surface: 'desktop' }).steps;

test.each<[string, string, string, object]>([
  ['a window', EDITOR, 'app://mousepad/Save%20As', { url: 'app://mousepad/Save%20As' }],
  [
    'a path of this run',
    'app://mousepad/Save%20As',
    `app://mousepad/${HOME}%2Fa.txt`,
    { url: 'app://mousepad/*a.txt' },
  ],
  ['a path that changed', 'app://mousepad/Save', `app://mousepad/*${HOME}%2Fa.txt`, { url: 'app://mousepad/*a.txt' }],
  ['the last window to close', EDITOR, 'about:desktop', { url: 'about:desktop' }],
])('waits for %s', (_, on, end, expected) => {
  expect(stepsOf([press(on)], end)).toMatchObject([{ action: 'press', expect: expected }]);
});

test('typed text is not an expected result, because the field shows it', () => {
  const [, step] = stepsOf([fillName, { ...rename, metTexts: ['b c.txt'] }], 'app://thunar/Rename');
  expect(step).not.toHaveProperty('expect');
  const [, withOther] = stepsOf([fillName, { ...rename, metTexts: ['b c.txt', 'Renamed'] }], 'app://thunar/Rename');
  expect(withOther).toMatchObject({ expect: { text: 'Renamed' } });
});

test('a step leads to the window of the next step, not of an action that failed', () => {
  const failed: TestAction = { ...fillName, error: TARGET_NOT_FOUND };
  expect(stepsOf([rename, failed], 'app://thunar/home')).toMatchObject([
    { action: 'click', expect: { url: 'app://thunar/home' } },
  ]);
});

test('an application that the agent brought to the front comes to the front', () => {
  const steps = stepsOf([press('app://featherpad/a', { windowAfter: 'app://featherpad/a' }), press(EDITOR)], EDITOR);
  expect(steps).toEqual([
    { action: 'press', key: 'Enter' },
    { action: 'switchWindow', app: 'mousepad' },
    { action: 'press', key: 'Enter' },
  ]);
});

describe('a wait of the agent', () => {
  const wait = (on: string): TestAction => ({ action: { action: 'wait', seconds: 3 }, on, title: '' });
  const waitFor = (text: string): TestAction => ({
    ...{ action: { action: 'waitFor', condition: { text } }, on: EDITOR, title: '' },
  });

  test('becomes a condition for the window that opened meanwhile', () => {
    expect(stepsOf([wait('about:desktop'), press(EDITOR)], EDITOR)).toEqual([
      { action: 'waitFor', condition: { url: EDITOR } },
      { action: 'press', key: 'Enter' },
    ]);
  });

  test('stays a time before keys into a window that does not show when it is ready', () => {
    expect(stepsOf([press(EDITOR), wait(EDITOR), press(EDITOR)], EDITOR)).toEqual([
      { action: 'press', key: 'Enter' },
      { action: 'wait', seconds: 3 },
      { action: 'press', key: 'Enter' },
    ]);
  });

  test('is omitted before an action that waits for its element', () => {
    const click = { ...rename, on: EDITOR, title: '' };
    expect(stepsOf([press(EDITOR), wait(EDITOR), click], EDITOR).map(({ action }) => action)).toEqual([
      'press',
      'click',
    ]);
  });

  test('for a text keeps it, unless the text changes from run to run', () => {
    expect(stepsOf([waitFor('Saved'), press(EDITOR)], EDITOR)[0]).toEqual({
      action: 'waitFor',
      condition: { text: 'Saved' },
    });
    expect(stepsOf([waitFor('Saved at 12:04'), press(EDITOR)], EDITOR)[0]).toEqual({ action: 'wait', seconds: 1 });
  });
});

test('an application that an action opened does not', () => {
  const open: TestAction = { ...press('app://thunar/home'), windowAfter: EDITOR };
  expect(stepsOf([open, press(EDITOR)], EDITOR).map(({ action }) => action)).toEqual(['press', 'press']);
  // A dialog of LibreOffice states another application than its document.
  const save: TestAction = press('app://libreoffice-calc/a', { windowAfter: 'app://libreoffice-calc/a' });
  expect(stepsOf([save, press('app://soffice/Save')], 'app://soffice/Save')).toMatchObject([
    { action: 'press', expect: { url: 'app://soffice/Save' } },
    { action: 'press' },
  ]);
});
