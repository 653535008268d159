import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  elementSchema,
  observationSchema,
  type ElementView,
} from '@pilothouse/contract/observation/observation.schema';
import { parseHostRules } from '../egress/host-rules.ts';
import type { AgentGoal } from './agent-goal.ts';
import type { AgentCommand, AgentInput } from './agent-protocol.ts';
import { reduce } from './agent-reducer.ts';
import { initialAgentState, type AgentState } from './agent-state.ts';
import { requiredApproval, type ApprovalPolicy } from './approval/approval-policy.ts';
import { confirms } from './approval/confirmation-texts.ts';
import { arrivalCondition } from './compile/arrival-expectation.ts';
import { Templatizer } from './compile/templatizer.ts';
import { nextCommand } from './next-command.ts';
import { goalSection } from './prompts/prompt-sections.ts';

/* Goals on a desktop are limited to applications as browser goals are to sites. */

const element = (index: number, name: string, overrides: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    ...{ index, role: 'button', name, interactive: true, state: {}, tags: [] },
    bounds: { x: 10, y: 10 + index * 40, width: 100, height: 20 },
    ...overrides,
  });
const field = element(0, 'Text', { role: 'textbox' });
const pageOf = (url: string, elements: ElementView[] = [field, element(1, 'Find')], document = 1) =>
  observationSchema.parse({
    ...{ url, title: 'x', document, loading: false, opaqueRegions: [], focused: null, elements },
    ...{ viewport: { width: 1000, height: 800 }, scroll: { above: 0, below: 0 } },
    windows: [{ app: 'xterm', title: 'A Xterm' }],
  });

const click: Action = { action: 'click', target: { elementIndex: 1 } };
const type: Action = { action: 'type', text: 'Hello' };
const press: Action = { action: 'press', key: 'Control+S' };
const secret: Action = { action: 'fill', target: { elementIndex: 0 }, text: '{{inputs.pin}}' };
const open = (app: string, ...args: string[]): Action => ({ action: 'openApp', app, args });
const [EDITOR, TERMINAL] = ['app://mousepad/note.txt', 'app://xterm/xterm'];

const policy: ApprovalPolicy = {
  ...{ autoApprove: new Set(), hosts: [], home: 'app://mousepad', trusted: new Set(['app://mousepad']) },
  secrets: ['pin'],
};
const kindOf = (action: Action, url: string, policyOverrides: Partial<ApprovalPolicy> = {}) =>
  requiredApproval(action, pageOf(url), { ...policy, ...policyOverrides })?.kind ?? null;

describe('an application outside the goal', () => {
  test.each<[string, Action, string, string | null]>([
    ['a click in the home', click, EDITOR, null],
    ['a click in another window of it', click, 'app://mousepad/Save%20As', null],
    ['a click elsewhere', click, TERMINAL, 'otherApp'],
    ['text at the caret elsewhere', type, TERMINAL, 'otherApp'],
    ['a key elsewhere', press, TERMINAL, 'otherApp'],
    ['the clipboard written elsewhere', { action: 'writeClipboard', text: 'x' }, TERMINAL, 'otherApp'],
    ['a look at another window', { action: 'switchWindow', app: 'xterm' }, EDITOR, null],
    ['a look elsewhere', { action: 'screenshot' }, TERMINAL, null],
    ['another application opened', open('debian-xterm'), EDITOR, 'otherApp'],
    ['the home opened again', open('org.xfce.mousepad'), TERMINAL, null],
    ['its own window closed', { action: 'closeWindow' }, EDITOR, null],
    ['the active window closed elsewhere', { action: 'closeWindow' }, TERMINAL, 'otherApp'],
    ['a window of another closed', { action: 'closeWindow', app: 'xterm' }, EDITOR, 'otherApp'],
    ['its window closed from elsewhere', { action: 'closeWindow', app: 'mousepad' }, TERMINAL, null],
    ['a window of another closed by its title', { action: 'closeWindow', window: 'XTERM' }, EDITOR, 'otherApp'],
    ['its window closed by its title', { action: 'closeWindow', window: 'x' }, EDITOR, null],
    ['a window of another moved', { action: 'setWindow', app: 'xterm', state: 'minimized' }, EDITOR, 'otherApp'],
    [
      'a window of another, by its title',
      { action: 'setWindow', window: 'xterm', state: 'normal' },
      EDITOR,
      'otherApp',
    ],
    ['its own window moved', { action: 'setWindow', state: 'maximized' }, EDITOR, null],
    ['the active window moved elsewhere', { action: 'setWindow', state: 'maximized' }, TERMINAL, 'otherApp'],
    ['the windows listed elsewhere', { action: 'listWindows' }, TERMINAL, null],
    ['a menu of the home', { action: 'selectMenuItem', items: ['File', 'New'] }, EDITOR, null],
    ['a menu elsewhere', { action: 'selectMenuItem', items: ['File', 'New'] }, TERMINAL, 'otherApp'],
    ['a file dialog of the home', { action: 'fillFileDialog', path: 'a.txt' }, EDITOR, null],
    ['a file dialog elsewhere', { action: 'fillFileDialog', path: 'a.txt' }, TERMINAL, 'otherApp'],
    ['an application of a similar name', click, 'app://mousepad2/x', 'otherApp'],
    ['a window that names no application', click, 'app:///note.txt', 'otherSite'],
    ['an empty desktop', { action: 'click', target: { point: { x: 5, y: 5 } } }, 'about:desktop', 'otherSite'],
    ['a web page', click, 'https://mousepad/', 'otherSite'],
    ['a site opened in the application', open('mousepad', 'https://evil.test/'), EDITOR, 'otherSite'],
    ['a file opened in the application', open('mousepad', 'note.txt'), EDITOR, null],
  ])('%s', (_, action, url, kind) => expect(kindOf(action, url)).toBe(kind));

  it('is not allowed by host rules', () => {
    const hosts = [parseHostRules(['xterm', 'mousepad', '*.test'])];
    expect(kindOf(click, TERMINAL, { hosts })).toBe('otherApp');
    expect(kindOf(click, EDITOR, { hosts })).toBeNull();
    // Rules for applications allow no site either.
    expect(kindOf(click, 'https://xterm/', { apps: ['mousepad', 'xterm'] })).toBe('otherSite');
    expect(kindOf(open('mousepad', 'https://shop.test/'), EDITOR, { hosts })).toBeNull();
  });

  it('is allowed by rules for applications, and by `autoApprove`', () => {
    expect(kindOf(click, TERMINAL, { apps: ['mousepad', 'xterm'] })).toBeNull();
    expect(kindOf(click, TERMINAL, { apps: ['mousepad', 'libreoffice-*'] })).toBe('otherApp');
    expect(kindOf(click, 'app://libreoffice-calc/x', { apps: ['libreoffice-*'] })).toBeNull();
    expect(kindOf(click, TERMINAL, { autoApprove: new Set(['otherApp'] as const) })).toBeNull();
    expect(kindOf(click, TERMINAL, { autoApprove: new Set(['otherSite'] as const) })).toBe('otherApp');
  });
});

const ask = (question: string, name: string) => [
  element(2, question, { role: 'text', interactive: false }),
  element(1, name),
];
const confirm = (name: string) => ask('A file named “a.txt” already exists.  Do you want to replace it?', name);

describe('an action that cannot be undone', () => {
  test.each<[string, Action, ElementView[], string | null]>([
    ['a menu entry', { action: 'selectMenuItem', items: ['Edit', 'Delete'] }, [], 'delete'],
    ['one with a mnemonic', { action: 'selectMenuItem', items: ['Edit', 'De_le&te…'] }, [], 'delete'],
    ['one in look-alike letters', { action: 'selectMenuItem', items: ['Edit', 'Dеlete'] }, [], 'delete'],
    ['an entry of such a menu', { action: 'selectMenuItem', items: ['File', 'Send', 'Document as Mail'] }, [], 'send'],
    ['a button that is no menu', { action: 'selectMenuItem', items: ['Place order'] }, [], 'pay'],
    ['a harmless entry', { action: 'selectMenuItem', items: ['File', 'Save As…'] }, [], null],
    ['a file that is replaced', { action: 'fillFileDialog', path: 'a.txt', overwrite: true }, [], 'delete'],
    ['a file that is not replaced', { action: 'fillFileDialog', path: 'a.txt', overwrite: false }, [], null],
    ['a file replaced in the dialog', click, confirm('Replace'), 'delete'],
    ['a file replaced by “Yes”', click, confirm('Yes'), 'delete'],
    [
      'one in German',
      click,
      ask('Die Datei existiert bereits. Möchten Sie sie überschreiben?', 'Überschreiben'),
      'delete',
    ],
    ['one in French', click, ask('Voulez-vous remplacer le fichier « a.txt » ?', 'Remplacer'), 'delete'],
    ['one in Spanish', click, ask('¿Desea reemplazar el archivo?', 'Reemplazar'), 'delete'],
    ['one in Italian', click, ask('Sovrascrivere il file esistente?', 'Sovrascrivi'), 'delete'],
    ['a cancelled replacement', click, confirm('Cancel'), null],
    ['a text replaced', click, [element(1, 'Replace')], null],
  ])('%s', (_, action, elements, kind) => {
    const page = pageOf(EDITOR, elements);
    expect(requiredApproval(action, page, policy)?.kind ?? null).toBe(kind);
    expect(requiredApproval(action, page, { ...policy, autoApprove: new Set(['pay', 'delete', 'send']) })).toBeNull();
  });

  it('is named to the person', () => {
    const deletion: Action = { action: 'selectMenuItem', items: ['Edit', 'Delete'] };
    const replacement: Action = { action: 'fillFileDialog', path: 'a.txt', overwrite: true };
    expect(requiredApproval(deletion, pageOf(EDITOR), policy)?.description).toBe('choose “Edit › Delete” in the menu');
    expect(requiredApproval(replacement, pageOf(EDITOR), policy)?.description).toBe('replace the file “a.txt”');
  });
});

describe('a secret of one application', () => {
  test.each<[string, string, Partial<ApprovalPolicy>, string | null]>([
    ['is typed in it', EDITOR, {}, null],
    ['is refused in another', TERMINAL, { autoApprove: new Set(['otherApp'] as const) }, 'credentials'],
    ['is refused in another of the goal', TERMINAL, { apps: ['mousepad', 'xterm'], trusted: new Set() }, 'credentials'],
    ['is typed in the first of the goal', EDITOR, { apps: ['org.xfce.mousepad', 'xterm'], trusted: new Set() }, null],
    ['is refused in a window without one', 'app:///note.txt', { home: null, trusted: new Set() }, 'credentials'],
    ['is refused on a site of that name', 'https://mousepad/', { home: null }, 'credentials'],
  ])('%s', (_, url, policyOverrides, kind) => expect(kindOf(secret, url, policyOverrides)).toBe(kind));

  it('names the application that would receive it', () => {
    const autoApprove = new Set(['otherApp'] as const);
    expect(requiredApproval(secret, pageOf(TERMINAL), { ...policy, autoApprove })).toEqual({
      ...{ kind: 'credentials', description: 'type a secret into the application xterm', origin: 'app://xterm' },
    });
  });
});

const goalOf = (limits: Partial<AgentGoal['limits']> = {}, text = 'Write {{inputs.pin}}'): AgentGoal => ({
  ...{
    text,
    outputSchema: null,
    texts: [],
    condition: null,
    maxTurns: 30,
    siteNotes: [],
    appNotes: [],
    surface: 'desktop',
  },
  limits: { autoApprove: new Set(), hosts: [], secrets: ['pin'], ...limits },
});
const observed = (url: string, document = 1): AgentInput => ({
  kind: 'observed',
  observation: pageOf(url, undefined, document),
});
const thought = (...actions: Action[]): AgentInput => ({
  kind: 'modelAnswered',
  answer: { thought: '', actions: actions.map((action) => ({ kind: 'act' as const, action })), problems: [] },
});
const reduceAll = (state: AgentState, ...inputs: AgentInput[]) => inputs.reduce(reduce, state);
const questionOf = (command: AgentCommand) =>
  command.kind === 'askHuman' && command.question.kind === 'confirm' ? command.question.request.kind : command.kind;
const decide = (goal: AgentGoal, ...inputs: AgentInput[]) =>
  questionOf(nextCommand(reduceAll(initialAgentState(goal), ...inputs)));
const opened = (url: string): AgentInput => ({ kind: 'acted', error: null, anchors: { url, title: 'x' } });

describe('the home of a goal', () => {
  it('is the application that is open when it begins', () => {
    expect(decide(goalOf(), observed(EDITOR), thought(click))).toBe('act');
    expect(decide(goalOf(), observed(EDITOR), observed(TERMINAL, 2), thought(click))).toBe('otherApp');
    expect(decide(goalOf(), observed(EDITOR), observed(TERMINAL, 2), thought(secret))).toBe('credentials');
  });

  it('is the first application that it opens itself, under the name of its window too', () => {
    const start = [
      observed('about:desktop'),
      thought(open('org.gnome.TextEditor')),
      opened('app://gnome-text-editor/New'),
    ];
    const state = reduceAll(initialAgentState(goalOf()), ...start, observed('app://gnome-text-editor/New', 2));
    expect(questionOf(nextCommand(reduceAll(state, thought(click))))).toBe('act');
    expect(questionOf(nextCommand(reduceAll(state, thought(open('debian-xterm')))))).toBe('otherApp');
    expect(questionOf(nextCommand(reduceAll(state, observed(TERMINAL, 3), thought(click))))).toBe('otherApp');
    // The name of a window is not proof enough for a secret.
    expect(questionOf(nextCommand(reduceAll(state, thought(secret))))).toBe('credentials');
  });

  it('is the first of its applications, whichever window is active', () => {
    const goal = goalOf({ apps: ['mousepad', 'xterm'] });
    expect(decide(goal, observed('app://thunar/Home'), thought(click))).toBe('otherApp');
    expect(decide(goal, observed('app://thunar/Home'), observed(EDITOR, 2), thought(secret))).toBe('act');
    expect(decide(goal, observed(TERMINAL), thought(type))).toBe('act');
    expect(decide(goal, observed(TERMINAL), thought(secret))).toBe('credentials');
    expect(decide(goal, observed(TERMINAL), thought(open('org.xfce.mousepad')))).toBe('act');
    expect(decide(goal, observed(TERMINAL), thought(open('thunar')))).toBe('otherApp');
  });

  it('does not grow by an application that a person allowed to open', () => {
    const allowed: AgentInput = { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' };
    const state = reduceAll(
      initialAgentState(goalOf()),
      ...[observed(EDITOR), thought(open('debian-xterm')), allowed, opened(TERMINAL), observed(TERMINAL, 2)],
    );
    expect(questionOf(nextCommand(reduceAll(state, thought(click))))).toBe('otherApp');
  });

  it('grows by an application that may receive secrets, if a person allows it', () => {
    const autoApprove = new Set(['otherApp'] as const);
    const allowed: AgentInput = { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' };
    const refused: AgentInput = {
      ...{ kind: 'acted', origin: TERMINAL },
      error: { code: 'APPROVAL_REQUIRED', message: 'x' },
    };
    const asking = reduceAll(initialAgentState(goalOf({ autoApprove })), observed(EDITOR), thought(secret), refused);
    expect(nextCommand(asking)).toMatchObject({ question: { request: { origin: 'app://xterm' } } });
    expect([...reduceAll(asking, allowed).origins.trusted]).toEqual(['app://mousepad', 'app://xterm']);
  });
});

test('rules for sites say nothing about applications: no rejection, no notes', () => {
  const hosts = [parseHostRules(['shop.test'])];
  const state = reduceAll(initialAgentState(goalOf({ hosts }, 'Look')), observed('app://org.example.tool/x'));
  expect(nextCommand(reduceAll(state, thought({ action: 'navigate', url: '/cart' }))).kind).toBe('act');
  expect(questionOf(nextCommand(reduceAll(state, thought({ action: 'navigate', url: 'app://shop.test/' }))))).toBe(
    'otherSite',
  );
  const siteNotes = parseHostRules(['org.example.tool', '*.example.tool', 'shop.test']).map((site) => ({
    ...{ site, note: 'A note about a site' },
  }));
  const withNotes = initialAgentState({ ...goalOf(), siteNotes });
  expect(goalSection(reduceAll(withNotes, observed('app://org.example.tool/x')))).not.toContain('A note');
  expect(goalSection(reduceAll(withNotes, observed('https://shop.test/')))).toContain('A note');
});

test('only the application that a person saw may ask to confirm', () => {
  const question = element(2, 'Delete “note.txt” for ever?', { role: 'text', interactive: false });
  const button = element(3, 'Delete');
  const request = { kind: 'delete', description: 'use button "Delete"' } as const;
  const isConfirmed = (url: string) =>
    confirms(
      { action: 'click', target: { elementIndex: 3 } },
      request,
      pageOf(url, [question, button, element(4, 'Cancel')], 2),
      { effect: 'delete', action: click, page: pageOf('app://thunar/Home') },
    );
  expect(isConfirmed('app://thunar/Question')).toBe(true);
  expect(isConfirmed('app://xterm/Question')).toBe(false);
});

test.each<[string, string, string, object | null]>([
  ['another window', 'app://thunar/Home', 'app://thunar/Trash', { url: 'app://thunar/Trash' }],
  ['another application', 'app://thunar/Home', 'app://mousepad/Note%201234', { url: 'app://mousepad/*' }],
  ['a title that changes', 'app://mousepad/Untitled', 'app://mousepad/Note%201234', null],
  ['a title with an input', 'app://mousepad/Untitled', 'app://mousepad/rope.txt', null],
  ['the same window', 'app://mousepad/Untitled', 'app://mousepad/Untitled', null],
  ['a window without an application', 'app://mousepad/Untitled', 'app:///Untitled', null],
])('a compiled workflow waits for %s', (_, startUrl, endUrl, expected) => {
  const templatizer = new Templatizer([{ template: '{{inputs.file}}', value: 'rope.txt' }], []);
  const titled = (url: string) => ({ url, title: '12' });
  expect(arrivalCondition(titled(startUrl), titled(endUrl), templatizer, new Set())).toEqual(expected);
});
