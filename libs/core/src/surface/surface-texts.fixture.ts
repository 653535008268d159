import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { unsupportedFieldMessage } from '@pilothouse/contract/actions/surface-fields';
import { dialects, type ModelCall, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { aGoal, anElement, aPage, observed } from '@pilothouse/testing/agent-builders';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { newRunCard } from '../a2ui/run-card.ts';
import { reduce } from '../agent/agent-reducer.ts';
import { initialAgentState, type AgentState } from '../agent/agent-state.ts';
import { parseAnswer } from '../agent/dialects/read-answer.ts';
import { toTextDialectRequest, type TextDialect } from '../agent/prompts/text-dialect-request.ts';
import { writeAnswer } from '../agent/dialects/write-answer.ts';
import type { WriteContext } from '../agent/tools/written-answer.ts';
import type { PlannedAction } from '../agent/planned-action.ts';
import { actVisionRequest } from '../agent/prompts/act-vision.prompt.ts';
import { describeScreenshotRequest, screenshotQuestionRequest } from '../agent/prompts/describe-screenshot.prompt.ts';
import { healRequest, healVisionRequest } from '../agent/prompts/heal.prompt.ts';
import { identifyCanvasRequest } from '../agent/prompts/identify-canvas-target.prompt.ts';
import { actTextRequest } from '../agent/prompts/prompt-sections.ts';
import { replanRequest } from '../agent/prompts/replan.prompt.ts';
import { verifyGoalRequest, verifyTurnRequest } from '../agent/prompts/verify.prompt.ts';
import type { AnswerContext } from '../agent/tools/action-arguments.ts';
import { correctionFunctions, textTools, visionTools } from '../agent/tools/tool-schemas.ts';
import { scoreTurnRequest } from '../learning/prompts/score-turn.prompt.ts';
import { surfacesOfStep } from '../workflow/lint/lint-surface.ts';

/*
 * Every text that models receive on a surface, and every answer that means something else there. The stored texts are
 * the reference. After a wanted change: `node libs/core/src/surface/surface-texts.fixture.ts`.
 */

const DELIMITER = 'mark-7';
const view = aPage([anElement(1, { role: 'textbox', name: 'Text' })], { url: 'app://mousepad/Notes', title: 'Notes' });
const screenshot = { data: 'Yg==', width: 1280, height: 640, print: [] };
const answerForm = { type: 'object', properties: { total: { type: 'number' } } } as const;

const stateOn = (surface: SurfaceKind): AgentState =>
  reduce(initialAgentState(aGoal({ surface, texts: ['Total'] })), observed(view));

const withForm = (state: AgentState): AgentState => ({
  ...state,
  goal: { ...state.goal, outputSchema: answerForm },
  page: { ...state.page, screenshots: [{ turn: 0, screenshot }] },
});

const lostOn = (surface: SurfaceKind) => ({
  surface,
  workflow: 'orders',
  title: 'Send',
  does: 'Click Send',
  old: [{ text: 'Send' }],
  recorded: [{ text: 'Submit' }],
  problem: null,
});

/** Requests of all prompts, by a name. */
function requestsOn(surface: SurfaceKind): Record<string, ModelRequest> {
  const state = stateOn(surface);
  const claim = { answer: '5', anchor: 'Notes', indicators: ['Total'] };
  const record = turnRecord({ surface });
  return {
    'act-text': actTextRequest(state, DELIMITER),
    'act-vision': actVisionRequest(withForm(state), DELIMITER),
    replan: replanRequest(state, 'It is stuck', DELIMITER),
    'verify-goal': verifyGoalRequest(state, claim, 'Total is missing', view, DELIMITER),
    'verify-goal-screenshots': verifyGoalRequest(state, claim, 'Total is missing', view, DELIMITER, {
      initial: null,
      current: screenshot,
    }),
    'verify-turn': verifyTurnRequest(state, 'Total', { initial: screenshot, current: screenshot }, DELIMITER),
    'describe-screenshot': describeScreenshotRequest(view, screenshot, DELIMITER, surface),
    'screenshot-question': screenshotQuestionRequest('What is it?', view, screenshot, DELIMITER, surface),
    'identify-canvas': identifyCanvasRequest('vision', screenshot, surface),
    'heal-text': healRequest(lostOn(surface), view, DELIMITER),
    'heal-vision': healVisionRequest(lostOn(surface), view, screenshot, DELIMITER),
    'score-turn': scoreTurnRequest({ record, next: record, screenshot: 'aGk=', status: 'completed' }, DELIMITER),
  };
}

const lines = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');

/** System prompt and the rest of a request. The functions of `act` are a text of their own. */
function promptText({ tools = [], system, ...others }: ModelRequest): string {
  return [system, JSON.stringify({ ...others, tools: tools.map(({ name }) => name) })].join('\n');
}

const functionTexts = (surface: SurfaceKind) =>
  lines([
    ...textTools(null, surface),
    ...textTools(answerForm, surface).slice(1),
    ...visionTools(null, surface),
    ...[
      healRequest(lostOn(surface), view, DELIMITER),
      healVisionRequest(lostOn(surface), view, screenshot, DELIMITER),
    ].flatMap(({ tools = [] }) => tools),
    correctionFunctions(surface),
  ]);

const isTextDialect = (dialect: (typeof dialects)[number]): dialect is TextDialect => dialect !== 'calls';

/** Instructions of a text dialect for a request without its own texts; only the name of the dialect that replaces it. */
function instructions(dialect: TextDialect, request: ModelRequest, hasScreenshot: boolean): string {
  const image = { image: { contentType: 'image/jpeg' as const, data: screenshot.data } };
  const parts = [{ text: 'GOAL' }, ...(hasScreenshot ? [image] : [])];
  const written = toTextDialectRequest({ ...request, system: 'SYSTEM', messages: [{ role: 'user', parts }] }, dialect);
  if (written.dialect !== dialect) return written.dialect;
  const texts = written.request.messages.flatMap((message) =>
    message.parts.flatMap((part) => ('text' in part ? [part.text] : [])),
  );
  return [dialect, written.request.system, ...texts].join('\n');
}

const instructionTexts = (requests: Readonly<Record<string, ModelRequest>>): Record<string, string> =>
  Object.fromEntries(
    dialects.filter(isTextDialect).flatMap((dialect) =>
      Object.entries(requests)
        .filter(([name]) => ['act-text', 'act-vision', 'heal-vision'].includes(name))
        .map(([name, request]) => [`${dialect} for ${name}`, instructions(dialect, request, name !== 'act-text')]),
    ),
  );

const ANSWERS = [
  'OPEN_APP("LibreOffice Calc")',
  'OPEN_APP("Firefox")',
  'OPEN_APP("shop.test/cart")',
  'FOCUS_APP("Notes - Mousepad")',
  'FOCUS_APP("mousepad")',
  'TYPE("rope")',
  'BROWSER_NAVIGATE("https://a.test")',
  'SELECT_MENU("File > Save As")',
  'Thought: Go\nAction: Type("rope")',
  'Thought: Go\nAction: OpenApp("Thunar")',
  'Thought: Go\nAction: FocusApp("Chrome")',
  "Thought: Go\nAction: type(content='rope\\n')",
  "Thought: Go\nAction: open_app(app_name='Thunar')",
  'Thought: Go\nAction: press_home()',
  'Thought: Go\nAction: press_back()',
];

const CALLS: readonly ModelCall[] = [
  { name: 'type', args: { text: 'rope', press_enter: true } },
  { name: 'type_text_at', args: { x: 500, y: 500, text: 'rope', press_enter: true } },
  { name: 'type_text_at', args: { text: 'rope', clear_before_typing: false } },
  { name: 'act', args: { action: 'switchTab', title: 'Notes' } },
  { name: 'act', args: { action: 'switchWindow', app: 'thunar' } },
  { name: 'act', args: { action: 'type', text: 'rope' } },
  { name: 'act', args: { action: 'read_page' } },
  { name: 'act', args: { action: 'read_window' } },
];

/** Meaning of answers. @param focused index of the element with the focus */
function meanings(surface: SurfaceKind, focused: number | null): string {
  const context: AnswerContext = { surface, focused, image: { width: 2800, height: 1400 }, secrets: ['password'] };
  return lines([
    ...ANSWERS.map((text) => parseAnswer({ text, calls: [] }, context)),
    ...CALLS.map((call) => parseAnswer({ text: '', calls: [call] }, context)),
  ]);
}

const act = (action: Action): PlannedAction => ({ kind: 'act', action });

const PLANNED: readonly PlannedAction[] = [
  act({ action: 'fill', target: { elementIndex: 4 }, text: 'rope', append: true }),
  act({ action: 'type', text: 'rope' }),
  act({ action: 'press', key: 'Enter' }),
  act({ action: 'switchTab', title: 'Notes' }),
  act({ action: 'openApp', app: 'thunar' }),
  act({ action: 'switchWindow', app: 'thunar' }),
  { kind: 'read' },
  { kind: 'see' },
  { kind: 'done', claim: { answer: '5', anchor: 'Notes', indicators: ['Total'] } },
];

/** Actions in every dialect. @param isFocused true if element 4 has the focus */
function writtenAnswers(surface: SurfaceKind, isFocused: boolean): string {
  const context: WriteContext = {
    surface,
    elements: [
      { index: 4, bounds: { x: 160, y: 80, width: 40, height: 20 }, state: isFocused ? { focused: true } : {} },
    ],
    viewport: { width: 1000, height: 500 },
    image: { width: 1280, height: 640 },
    tier: isFocused ? 'vision' : 'text',
  };
  const expects = { anchor: 'Notes', indicators: ['Total'] };
  return lines(
    dialects.flatMap((dialect) =>
      PLANNED.map((planned) => [
        dialect,
        planned.kind === 'act' ? planned.action.action : planned.kind,
        writeAnswer(dialect, { thought: 'Next.', actions: [planned], expects }, context),
      ]),
    ),
  );
}

const STEPS = ['click', 'navigate', 'openApp', 'pdf', 'saveProfile', 'paginate', 'goal', 'forEach'];

const textsForPeople = (surface: SurfaceKind) =>
  lines([
    ...newRunCard('Run', [], surface).rows,
    ...(['condition', 'locator'] as const).map((kind) =>
      unsupportedFieldMessage(surface, { path: [], kind, field: 'x' }),
    ),
    STEPS.filter((step) => surfacesOfStep(step).includes(surface)),
  ]);

/** All texts of a surface, by a name. */
export function surfaceTexts(surface: SurfaceKind): Record<string, string> {
  const requests = requestsOn(surface);
  return {
    ...Object.fromEntries(Object.entries(requests).map(([name, request]) => [name, promptText(request)])),
    functions: functionTexts(surface),
    ...instructionTexts(requests),
    'answers without a focus': meanings(surface, null),
    'answers with a focus': meanings(surface, 4),
    'written answers without a focus': writtenAnswers(surface, false),
    'written answers with a focus': writtenAnswers(surface, true),
    'texts for people': textsForPeople(surface),
  };
}

/** File with the stored texts of a surface: each after a line `=== name`. */
export const storedTextsFile = (surface: SurfaceKind): string =>
  join(import.meta.dirname, `surface-texts.${surface}.txt`);

if (import.meta.main)
  for (const surface of ['browser', 'desktop'] as const) {
    const sections = Object.entries(surfaceTexts(surface)).map(([name, text]) => `=== ${name}\n${text}\n`);
    writeFileSync(storedTextsFile(surface), sections.join(''));
  }
