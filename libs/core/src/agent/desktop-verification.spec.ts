import { aClaimHistory, aGoal, anElement, aPage, observed } from '@pilothouse/testing/agent-builders';
import { initialAgentState } from './agent-state.ts';
import { reduce } from './agent-reducer.ts';
import { isAtAnchor, verifyClaim, windowAtAnchor } from './goal-verification.ts';
import { goalSection } from './prompts/prompt-sections.ts';

/* An agent recognizes the state of an application, and notes it in the prompt. */

describe('the place that a turn leads to', () => {
  const saved = {
    url: 'app://mousepad/%2Fhome%2Frun%2Fnotes.txt%20-%20Mousepad',
    title: '/home/run/notes.txt - Mousepad',
  };

  test.each([
    ['mousepad', true],
    ['org.xfce.mousepad', true],
    ['Notes.txt', true],
    ['app://mousepad/', true],
    ['the notes.txt window of mousepad', true],
    ['thunar', false],
    ['report.ods', false],
    ['*', false],
  ])('%s', (anchor, isReached) => expect(isAtAnchor(anchor, saved)).toBe(isReached));

  test('the address of the page that a window shows', () => {
    const shown = { url: 'app://chromium/Cart', title: 'Cart', page: { url: 'https://shop.example/cart' } };
    expect(isAtAnchor('shop.example/cart', shown)).toBe(true);
    expect(isAtAnchor('shop.example/cart', { url: shown.url, title: shown.title })).toBe(false);
  });

  const windows = [
    { app: 'xterm', title: 'mousepad notes.txt' },
    { app: 'mousepad', title: 'letter.txt - Mousepad' },
    { app: 'mousepad', title: 'notes.txt - Mousepad' },
    { app: 'thunar', title: 'root - Thunar' },
  ];

  test.each([
    // The application before the title, of several windows the topmost.
    ['mousepad', windows[2]],
    ['org.xfce.mousepad', windows[2]],
    ['letter.txt', windows[1]],
    ['app://thunar/', windows[3]],
    ['root in thunar', windows[3]],
    ['libreoffice-calc', undefined],
  ])('%s means its window in the background', (anchor, window) =>
    expect(windowAtAnchor(anchor, windows)).toEqual(window ?? null),
  );
});

describe('a text that was recognized in the screenshot', () => {
  const page = aPage([], {
    url: 'app://xterm/xterm',
    title: 'xterm',
    text: { text: 'Invoice 4711 was paid', length: 21, isRecognized: true },
  });
  const criteria = { texts: [], condition: null, requiresSources: false, history: aClaimHistory() };
  const claim = { answer: null, anchor: 'xterm', indicators: ['was paid'] };

  test('meets the text that the author expects', () => {
    expect(verifyClaim(claim, page, { ...criteria, texts: ['Invoice 4711'] })).toEqual({
      result: 'met',
      verifiedBy: 'text',
    });
    expect(verifyClaim(claim, page, { ...criteria, texts: ['Invoice 4712'] })).toMatchObject({ result: 'not-met' });
  });

  test('is no evidence for a claim of the model: it may have been misread before', () => {
    expect(verifyClaim(claim, page, criteria)).toMatchObject({ result: 'undecided' });
    const read = { ...page, text: { text: 'Invoice 4711 was paid', length: 21 } };
    expect(verifyClaim(claim, read, criteria)).toMatchObject({ result: 'met' });
  });

  test('is a source of an answer', () => {
    const answered = { ...claim, answer: '4711' };
    const strict = { ...criteria, requiresSources: true, condition: true };
    expect(verifyClaim(answered, page, strict)).toMatchObject({ result: 'met' });
    expect(verifyClaim({ ...answered, answer: '4712' }, page, strict)).toMatchObject({ result: 'not-met' });
  });
});

test('notes about an application are in the prompt only while one of its windows is active', () => {
  const appNotes = [
    { app: 'org.xfce.mousepad', note: 'Control+G goes to a line' },
    { app: 'libreoffice-*', note: 'Answer the tip of the day' },
  ];
  const sectionAt = (url: string) => {
    const state = initialAgentState(aGoal({ surface: 'desktop', appNotes }));
    return goalSection(reduce(state, observed(aPage([anElement(1)], { url }))));
  };
  expect(sectionAt('app://mousepad/Untitled')).toContain('Note about this application: Control+G goes to a line');
  expect(sectionAt('app://libreoffice-calc/Untitled')).toContain('tip of the day');
  expect(sectionAt('app://thunar/root')).not.toContain('Note about');
  expect(sectionAt('https://mousepad/')).not.toContain('Note about');
});
