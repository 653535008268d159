import { actionNames } from '@pilothouse/contract/actions/action-sets';
import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import {
  modelRequestSchema,
  type Dialect,
  type ModelCall,
  type ModelRequest,
} from '@pilothouse/contract/model/model.schema';
import { aGoal, anElement, aPage, observed } from '@pilothouse/testing/agent-builders';
import { reduce } from '../agent-reducer.ts';
import { initialAgentState, type AgentState } from '../agent-state.ts';
import { actTextRequest } from '../prompts/prompt-sections.ts';
import { actVisionRequest } from '../prompts/act-vision.prompt.ts';
import { replanRequest } from '../prompts/replan.prompt.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';
import { textTools, visionTools } from '../tools/tool-schemas.ts';
import { parseAnswer } from './read-answer.ts';
import { toTextDialectRequest, type TextDialect } from '../prompts/text-dialect-request.ts';

/* The agent on a desktop: its functions, prompts and dialects. */

const desktop: AnswerContext = {
  surface: 'desktop',
  focused: null,
  image: { width: 2800, height: 1400 },
  secrets: ['password'],
};
const browser: AnswerContext = { ...desktop, surface: 'browser', focused: 4 };

const read = (text: string, context = desktop, dialect?: Dialect) =>
  parseAnswer({ text, calls: [], ...(dialect && { dialect }) }, context);
const call = (name: string, args: ModelCall['args'], context = desktop) =>
  parseAnswer({ text: '', calls: [{ name, args }] }, context);
const actionsOf = ({ actions }: ReturnType<typeof read>) =>
  actions.map((planned) => (planned.kind === 'act' ? planned.action : planned));

describe('answers on a desktop', () => {
  test.each<[string, string, object[]]>([
    ['DeskPilot', 'TYPE("5 €; ok")', [{ action: 'type', text: '5 €; ok' }]],
    [
      'DeskPilot',
      'OPEN_APP("LibreOffice Calc");WAIT(2)',
      [
        { action: 'openApp', app: 'libreoffice-calc' },
        { action: 'wait', seconds: 2 },
      ],
    ],
    ['DeskPilot', 'FOCUS_APP("notes.txt - Mousepad")', [{ action: 'switchWindow', window: 'notes.txt - Mousepad' }]],
    [
      'DeskPilot',
      'CLICK(500, 20);PRESS_KEY("ctrl+s")',
      [
        { action: 'click', target: { point: { x: 500, y: 20 } } },
        { action: 'press', key: 'Control+s' },
      ],
    ],
    [
      'DeskPilot',
      'SELECT_MENU("File > Save As…");FILE_DIALOG("notes/a.txt")',
      [
        { action: 'selectMenuItem', items: ['File', 'Save As…'] },
        { action: 'fillFileDialog', path: 'notes/a.txt' },
      ],
    ],
    [
      'DeskPilot',
      'SELECT_MENU("Data > Sort", "A > Z")',
      [{ action: 'selectMenuItem', items: ['Data > Sort', 'A > Z'] }],
    ],
    ['DeskPilot', 'BROWSER_CLICK(3)', [{ action: 'click', target: { elementIndex: 3 } }]],
    [
      'EchoPrism',
      'Thought: x\nAction: OpenApp("org.xfce.mousepad")',
      [{ action: 'openApp', app: 'org.xfce.mousepad' }],
    ],
    ['EchoPrism', 'Action: FocusApp("thunar")', [{ action: 'switchWindow', app: 'thunar' }]],
    ['EchoPrism', 'Action: Type("Grüße")', [{ action: 'type', text: 'Grüße' }]],
    ['EchoPrism', 'Action: Hotkey(ctrl, shift, s)', [{ action: 'press', key: 'Control+Shift+s' }]],
    ['UI-TARS', "Thought: t\nAction: open_app(app_name='Mousepad')", [{ action: 'openApp', app: 'Mousepad' }]],
    [
      'UI-TARS',
      "Action: type(content='ls\\n')",
      [
        { action: 'type', text: 'ls' },
        { action: 'press', key: 'Enter' },
      ],
    ],
    [
      'AURA',
      '{"actions": [{"action": "openApp", "app": "thunar", "args": "docs"}]}',
      [{ action: 'openApp', app: 'thunar', args: ['docs'] }],
    ],
  ])('%s: %s', (_, text, expected) => {
    const parsed = read(text);
    expect(parsed.problems).toEqual([]);
    expect(actionsOf(parsed)).toEqual(expected);
  });

  test.each<[string, ModelCall['args'], object[]]>([
    ['act', { action: 'switchWindow', window: 'Save As' }, [{ action: 'switchWindow', window: 'Save As' }]],
    ['act', { action: 'read_window' }, [{ kind: 'read' }]],
    ['act', { action: 'see_screen' }, [{ kind: 'see' }]],
    ['act', { action: 'listWindows' }, [{ action: 'listWindows' }]],
    [
      'act',
      { action: 'setWindow', app: '', bounds: { width: 640, height: 480 } },
      [{ action: 'setWindow', bounds: { width: 640, height: 480 } }],
    ],
    [
      'setWindow',
      { window: 'Notes', state: 'maximized' },
      [{ action: 'setWindow', window: 'Notes', state: 'maximized' }],
    ],
    [
      'act',
      { action: 'selectMenuItem', items: ['File', 'Save As'], path: '', overwrite: false },
      [{ action: 'selectMenuItem', items: ['File', 'Save As'] }],
    ],
    ['selectMenuItem', { items: 'File › Save As' }, [{ action: 'selectMenuItem', items: ['File', 'Save As'] }]],
    ['selectMenuItem', { items: 'File>Save As' }, [{ action: 'selectMenuItem', items: ['File', 'Save As'] }]],
    [
      'selectMenuItem',
      { items: 'Data > Sort A->Z > x>y' },
      [{ action: 'selectMenuItem', items: ['Data', 'Sort A->Z', 'x>y'] }],
    ],
    ['selectMenuItem', { items: 'Sort A->Z' }, [{ action: 'selectMenuItem', items: ['Sort A->Z'] }]],
    [
      'fillFileDialog',
      { path: 'a.txt', overwrite: true },
      [{ action: 'fillFileDialog', path: 'a.txt', overwrite: true }],
    ],
    ['openApp', { app: 'Text Editor' }, [{ action: 'openApp', app: 'text-editor' }]],
    [
      'done',
      { answer: '', app_or_title: 'mousepad', indicators: ['saved'] },
      [{ kind: 'done', claim: { answer: '', anchor: 'mousepad', indicators: ['saved'] } }],
    ],
    // The computer-use tool of Gemini on a desktop.
    [
      'type',
      { text: 'a', press_enter: true },
      [
        { action: 'type', text: 'a' },
        { action: 'press', key: 'Enter' },
      ],
    ],
    [
      'drag_and_drop',
      { start_x: 1, start_y: 2, end_x: 3, end_y: 4 },
      [{ action: 'drag', target: { point: { x: 1, y: 2 } }, to: { point: { x: 3, y: 4 } } }],
    ],
  ])('call %s %j', (name, args, expected) => {
    const parsed = call(name, args);
    expect(parsed.problems).toEqual([]);
    expect(actionsOf(parsed)).toEqual(expected);
  });

  test.each<[string, AnswerContext, string, string]>([
    ['a page', desktop, 'BROWSER_CLICK(1);BROWSER_NAVIGATE("https://a.test");BROWSER_CLICK(2)', 'navigate'],
    ['the way back of a phone', desktop, 'Thought: Back\nAction: press_back()', 'goBack'],
    ['a page in JSON', desktop, '{"action": "goto", "url": "https://a.test"}', 'navigate'],
    ['a window in a browser', browser, '{"action": "openApp", "app": "thunar"}', 'openApp'],
  ])('cuts the turn before %s', (_, context, text, name) => {
    const parsed = read(text, context);
    expect(parsed.problems).toEqual([`${name} is not available on a ${context.surface}`]);
    expect(JSON.stringify(actionsOf(parsed))).not.toContain(name);
  });

  test('never returns an action that the surface does not have', () => {
    for (const surface of ['browser', 'desktop'] as const)
      for (const name of actionNames) {
        const { actions } = call(
          'act',
          { action: name, url: 'https://a.test', app: 'thunar' },
          { ...desktop, surface },
        );
        for (const planned of actions)
          if (planned.kind === 'act') expect(surfaceSupport[surface].actions).toContain(planned.action.action);
      }
  });
});

const editor = aPage([anElement(1, { role: 'textbox', name: 'Text' })], {
  url: 'app://mousepad/Untitled%201%20-%20Mousepad',
  title: 'Untitled 1 - Mousepad',
});
const stateOn = (surface: 'browser' | 'desktop'): AgentState =>
  reduce(initialAgentState(aGoal({ surface, texts: ['Total'] })), observed(editor));

const windowActions = ['listWindows', 'setWindow', 'selectMenuItem', 'fillFileDialog'];

describe('requests on a desktop', () => {
  const actionEnum = (request: ModelRequest) => {
    const { properties } = request.tools?.[0]?.parameters as { properties: { action: { enum: string[] } } };
    return properties.action.enum;
  };

  test('offer the actions of the surface and no others', () => {
    const names = actionEnum(actTextRequest(stateOn('desktop'), 'mark-7'));
    expect(names).toEqual(
      expect.arrayContaining(['openApp', 'switchWindow', 'closeWindow', ...windowActions, 'read_window', 'see_screen']),
    );
    for (const name of ['navigate', 'back', 'switchTab', 'closeTab', 'dialog', 'upload', 'read_page'])
      expect(names).not.toContain(name);
    const browserNames = actionEnum(actTextRequest(stateOn('browser'), 'mark-7'));
    expect(browserNames).toEqual(expect.arrayContaining(['navigate', 'switchTab', 'read_page']));
    for (const name of ['openApp', ...windowActions]) expect(browserNames).not.toContain(name);
  });

  test('name windows and applications', () => {
    const state = stateOn('desktop');
    const requests = [
      actTextRequest(state, 'mark-7'),
      actVisionRequest(state, 'mark-7'),
      replanRequest(state, 'It is stuck', 'mark-7'),
    ];
    for (const request of requests) {
      expect(modelRequestSchema.safeParse(request).error).toBeUndefined();
      expect(request.surface).toBe('desktop');
      expect(request.prompt.name).toMatch(/-desktop$/);
      expect(request.system).toContain('Linux desktop');
      expect(JSON.stringify(request)).not.toMatch(/\bpages?\b|\btabs?\b|\bsite\b|browser/i);
    }
    expect(actVisionRequest(state, 'mark-7').computer).toEqual({ surface: 'desktop', replaces: ['act'] });
  });

  test('offer applications and windows beside the tool of a provider', () => {
    const names = (surface: 'browser' | 'desktop') => visionTools(null, surface).map(({ name }) => name);
    const windowNames = ['openApp', 'switchWindow', 'closeWindow', ...windowActions];
    expect(names('desktop')).toEqual(['act', ...windowNames, 'done', 'fail', 'ask']);
    expect(names('browser')).toEqual(['act', 'done', 'fail', 'ask']);
  });

  test.each<[TextDialect, RegExp]>([
    ['deskpilot', /OPEN_APP\("app"\)[^]*SELECT_MENU\("File > Save As"\)[^]*TYPE\("text"\)/],
    ['echo-prism', /Linux desktop[^]*OpenApp\("appName"\)[^]*FocusApp\("appName"\)/],
    ['ui-tars', /open_app\(app_name=''\)[^]*data from an application/],
    ['ui-tars-1.5', /open_app\(app_name=''\)[^]*data from an application/],
    ['aura', /"actions": \[[^]*openApp\(app, args\?\)/],
  ])('%s has the action space of a desktop', (dialect, words) => {
    const image = { image: { contentType: 'image/jpeg' as const, data: 'Yg==' } };
    const request: ModelRequest = {
      ...actTextRequest(stateOn('desktop'), 'mark-7'),
      tools: textTools(null, 'desktop'),
      messages: [{ role: 'user', parts: [{ text: 'The goal' }, image] }],
    };
    const { request: written, dialect: used } = toTextDialectRequest(request, dialect);
    expect(used).toBe(dialect);
    const text = [written.system, ...written.messages.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part)))]
      .join('\n')
      .replaceAll('\\"', '"');
    expect(text).toMatch(words);
    expect(text).not.toMatch(/Navigate|BROWSER_NAVIGATE|press_back|switchTab|web site/);
  });
});
