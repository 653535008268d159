import {
  type Action,
  elementSchema,
  modelRequestSchema,
  observationSchema,
  type ElementView,
  type Observation,
} from '@pilothouse/contract';
import { parseHostRules } from '../egress/host-rules.ts';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import { reduce } from './agent-reducer.ts';
import { initialAgentState, type AgentState } from './agent-state.ts';
import { nextCommand } from './next-command.ts';
import type { AgentInput } from './agent-protocol.ts';
import type { CanvasTarget, PlannedAction, ReplanDecision } from './planned-action.ts';
import { actTextRequest } from './prompts/prompt-sections.ts';
import { replanRequest, parseReplan } from './prompts/replan.prompt.ts';
import { actVisionRequest } from './prompts/act-vision.prompt.ts';
import { parseAnswer } from './dialects/read-answer.ts';
import type { AgentGoal } from './agent-goal.ts';

/* Escalation between tiers. */

const element = (index: number, more: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    index,
    interactive: true,
    role: 'button',
    name: `B${index}`,
    state: {},
    tags: [],
    bounds: { x: 0, y: index * 20, width: 100, height: 20 },
    ...more,
  });
const page = (elements: ElementView[], more: Partial<Observation> = {}): Observation =>
  observationSchema.parse({
    url: 'https://shop.test/catalogue',
    title: 'Catalogue',
    document: 1,
    loading: false,
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements,
    opaqueRegions: [],
    ...more,
  });
const canvas = page([], {
  opaqueRegions: [{ kind: 'canvas', name: '', bounds: { x: 0, y: 0, width: 600, height: 400 } }],
});
const two = page([element(0), element(1)]);
const other = page([element(5)], { document: 2 });

/** A screenshot that depends only on its brightness. */
const picture = (brightness: number): ModelScreenshot => ({
  data: Buffer.from(`jpeg ${brightness}`).toString('base64'),
  width: 1280,
  height: 720,
  print: [brightness, 0],
});

const goal = (more: Partial<AgentGoal> = {}): AgentGoal => ({
  text: 'Find the rope with {{inputs.password}}',
  outputSchema: null,
  texts: [],
  condition: null,
  maxTurns: 30,
  siteNotes: [],
  limits: { autoApprove: new Set(), hosts: [], secrets: ['password'] },
  ...more,
});
const click = (index: number): PlannedAction => ({
  kind: 'act',
  action: { action: 'click', target: { elementIndex: index } },
});
const clickAt = (x: number, y: number, what?: string): PlannedAction => ({
  kind: 'act',
  action: { action: 'click', target: { point: { x, y } } },
  ...(what !== undefined && { what }),
});
const seen = (observation: Observation, shown?: ModelScreenshot): AgentInput => ({
  kind: 'observed',
  observation,
  ...(shown && { screenshot: shown }),
});
const thought = (...moves: PlannedAction[]): AgentInput => ({
  kind: 'modelAnswered',
  answer: { thought: '', moves, problems: [] },
});
const nothing: AgentInput = { kind: 'modelFailed', reason: 'Nothing came' };
const acted: AgentInput = { kind: 'acted', error: null };
const nothingDrawn: AgentInput = { kind: 'canvasIdentified', target: { kind: 'none', what: 'a sail' } };
const failure: AgentInput = { kind: 'acted', error: { code: 'TARGET_NOT_ACTIONABLE', message: 'In the way' } };
const replan = (decision: ReplanDecision['decision'], plan = ''): AgentInput => ({
  kind: 'replanned',
  replan: { decision, why: 'So it is', plan },
});
const answered: AgentInput = { kind: 'humanAnswered', choice: 'continue', text: null, by: 'Ada' };
const after = (state: AgentState, ...all: AgentInput[]) => all.reduce(reduce, state);
const began = (more: Partial<AgentGoal> = {}) => initialAgentState(goal(more));
/** Short form of the next command. */
const next = (state: AgentState): string => {
  const decision = nextCommand(state);
  if (decision.kind === 'observe') return `observe ${decision.depth}`;
  return decision.kind === 'think' ? `think ${decision.tier}` : decision.kind;
};
const plannedActions = ({ phase }: AgentState) => ('turn' in phase ? phase.turn?.actions : undefined) ?? [];
const notes = (state: AgentState) => state.history.notes.map(({ kind }) => kind);

describe('escalation', () => {
  test('tries the list twice, the whole page, screenshots, another plan, and a person', () => {
    let state = after(began(), seen(two));
    const path: string[] = [];
    for (let time = 0; time < 40 && next(state) !== 'askHuman'; time += 1) {
      const now = next(state);
      path.push(now);
      if (now === 'observe screenshot') state = after(state, seen(two, picture(9)));
      else if (now.startsWith('observe')) state = after(state, seen(two));
      else state = after(state, now === 'replan' ? replan('replan') : nothing);
    }
    const byList = ['think text', 'observe view', 'think text', 'observe page'];
    const byPicture = [
      'observe screenshot',
      'think vision',
      'observe screenshot',
      'think vision',
      'observe screenshot',
      'think vision',
    ];
    const round = [...byList, ...byPicture, 'replan', 'observe view'];
    expect(path).toEqual([...round, ...round, ...byList, ...byPicture]);
    expect(nextCommand(state)).toMatchObject({ kind: 'askHuman', reason: expect.stringContaining('stuck') });
    expect(state.escalation.highest).toBe('replan');
    expect(after(state, answered)).toMatchObject({
      escalation: { highest: 'human', tier: 'text', failures: 0, replans: 0 },
    });
  });

  test('checks a rejected claim on the whole page before a screenshot', () => {
    const claim = { answer: null, anchor: 'Cart', indicators: ['Rope'] };
    const refused: AgentInput = { kind: 'claimChecked', verdict: { result: 'not-met', detail: 'no Rope' } };
    const state = after(began(), seen(two), thought({ kind: 'done', claim }), refused, seen(two), nothing, seen(two));
    expect(nextCommand(state)).toEqual({ kind: 'checkClaim', claim, early: true });
    expect(next(after(state, refused))).toBe('observe screenshot');
    expect(next(after(state, { kind: 'claimChecked', verdict: { result: 'met', by: 'text' } }))).toBe('done');
  });

  test('takes a screenshot after three failures in a row, even if the page changed by itself', () => {
    let state = after(began(), seen(two));
    for (const [index, observation] of [other, page([element(7)], { document: 3 })].entries()) {
      state = after(state, nothing, seen(observation));
      expect([index, next(state)]).toEqual([index, 'think text']);
    }
    expect(next(after(state, nothing))).toBe('observe screenshot');
  });

  test('takes a screenshot after a repeated turn on the same page', () => {
    const state = after(began(), seen(two), thought(click(0)), acted, seen(two), thought(click(0)));
    expect(next(state)).toBe('observe screenshot');
    expect(notes(state)).toEqual(['repeated_turn', 'escalated']);
  });

  test('takes a screenshot at once on a page without listed elements', () => {
    const state = after(began(), seen(canvas));
    expect(next(state)).toBe('observe screenshot');
    expect(next(after(state, seen(canvas, picture(1))))).toBe('think vision');
    expect(next(after(began(), seen({ ...canvas, loading: true })))).toBe('think text');
  });

  test('takes a screenshot if the model asks for it', () => {
    const state = after(began(), seen(two), thought({ kind: 'see' }));
    expect(next(state)).toBe('observe screenshot');
    expect(next(after(state, seen(two, picture(1))))).toBe('think vision');
  });

  test('replans after three repeats', () => {
    const start = began();
    const looping = { ...start, escalation: { ...start.escalation, repeats: 2 } };
    const state = after(looping, seen(two), thought(click(0)), acted, seen(two), thought(click(0)));
    expect(next(state)).toBe('replan');
  });
});

describe('de-escalation', () => {
  const looking = after(began(), seen(two), nothing, seen(two), nothing, seen(two), seen(two, picture(1)));

  test('returns to the list after progress', () => {
    expect(next(looking)).toBe('think vision');
    const did = after(looking, thought(click(0)), acted);
    expect(next(did)).toBe('observe screenshot');
    expect(after(did, seen(other, picture(2)))).toMatchObject({
      escalation: { tier: 'text', failures: 0, depth: 'view' },
    });
    // Only the canvas may have changed.
    expect(next(after(did, seen(two, picture(50))))).toBe('think text');
  });

  test('does not count an action without a visible change', () => {
    const state = after(looking, thought(click(0)), acted, seen(two, picture(1)));
    expect(next(state)).toBe('observe screenshot');
    expect(state.history.notes.at(-1)).toMatchObject({
      kind: 'problem',
      note: expect.stringContaining('changed nothing'),
    });
  });

  test('does not count a change of the page during a failure', () => {
    expect(after(looking, thought(click(0)), failure, seen(other, picture(9)))).toMatchObject({
      escalation: { tier: 'vision' },
    });
  });

  test('keeps the vision tier on a canvas-only page', () => {
    const state = after(
      began(),
      seen(canvas),
      seen(canvas, picture(1)),
      thought(clickAt(1, 2)),
      seen(canvas),
      nothingDrawn,
      acted,
    );
    expect(next(after(state, seen(canvas, picture(9))))).toBe('think vision');
  });

  test('does not count the same point on another screenshot as a repeat', () => {
    let state = after(began(), seen(canvas), seen(canvas, picture(1)));
    for (const brightness of [20, 40, 60])
      state = after(
        state,
        thought(clickAt(1, 2)),
        seen(canvas),
        nothingDrawn,
        acted,
        seen(canvas, picture(brightness)),
      );
    expect(notes(state)).not.toContain('repeated_turn');
    state = after(
      state,
      thought(clickAt(1, 2)),
      seen(canvas),
      nothingDrawn,
      acted,
      seen(canvas, picture(60)),
      seen(canvas, picture(60)),
      thought(clickAt(1, 2)),
    );
    expect(notes(state)).toContain('repeated_turn');
  });
});

describe('without a vision model', () => {
  const blind: AgentInput = { kind: 'visionUnavailable', reason: 'No model is set for "see"' };

  test('notes it once and uses the list, then another plan, then a person', () => {
    let state = after(began(), seen(two), nothing, seen(two), nothing, seen(two), seen(two, picture(1)), blind);
    expect(state.history.notes.at(-1)).toMatchObject({
      kind: 'problem',
      note: expect.stringContaining('No model is set'),
    });
    const path: string[] = [];
    for (let time = 0; time < 40 && next(state) !== 'askHuman'; time += 1) {
      const now = next(state);
      path.push(now);
      state = after(state, now.startsWith('observe') ? seen(two) : now === 'replan' ? replan('retry') : nothing);
    }
    expect(path.join()).not.toContain('screenshot');
    expect(path.filter((one) => one === 'replan')).toHaveLength(2);
    expect(state.escalation.highest).toBe('replan');
  });

  test('reports to the model that there is no screenshot', () => {
    const state = after(began(), seen(canvas), seen(canvas, picture(1)), blind, seen(canvas), thought({ kind: 'see' }));
    expect(state.history.notes.at(-1)?.note).toContain('no model that sees');
    expect(next(state)).toBe('observe page');
  });
});

describe('turn with a screenshot', () => {
  const looking = (observation = two) =>
    after(began(), seen(observation), thought({ kind: 'see' }), seen(observation, picture(1)));
  const examined = (kind: CanvasTarget['kind'], what: string): AgentInput => ({
    kind: 'canvasIdentified',
    target: { kind, what },
  });
  const wants = (
    observation: Observation,
    move: PlannedAction,
    now = observation,
    drawn = examined('none', 'a sail'),
  ) => {
    const state = after(looking(observation), thought(move), seen(now));
    return nextCommand(nextCommand(state).kind === 'identifyCanvas' ? after(state, drawn) : state);
  };

  test('keeps the first action only, or a text with its Enter', () => {
    expect(plannedActions(after(looking(), thought(click(0), click(1))))).toHaveLength(1);
    const text: PlannedAction = { kind: 'act', action: { action: 'type', target: { elementIndex: 0 }, text: 'x' } };
    const enter: PlannedAction = { kind: 'act', action: { action: 'press', key: 'Enter' } };
    expect(plannedActions(after(looking(), thought(text, enter, click(1))))).toHaveLength(2);
  });

  test('replaces a point on a control with the control', () => {
    expect(wants(two, clickAt(50, 12))).toMatchObject({ action: { action: 'click', target: { elementIndex: 0 } } });
    expect(wants(canvas, clickAt(50, 12))).toMatchObject({ action: { target: { point: { x: 50, y: 12 } } } });
    const slider = page([element(0, { role: 'slider' })]);
    expect(wants(slider, clickAt(50, 12))).toMatchObject({ action: { target: { point: { x: 50, y: 12 } } } });
  });

  test('checks the current element at the point, not the one of the screenshot', () => {
    const pay = page([element(0, { name: 'Pay 40 €' }), element(1)]);
    expect(wants(pay, clickAt(50, 12))).toMatchObject({ kind: 'askHuman', question: { request: { kind: 'pay' } } });
    expect(wants(two, clickAt(50, 12), pay)).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'pay' } },
    });
    expect(wants(pay, clickAt(900, 900))).toMatchObject({ kind: 'act' });
  });

  test('checks all nested elements at a point', () => {
    const stacked = page([
      element(0, { name: 'Delete account', bounds: { x: 0, y: 0, width: 900, height: 700 } }),
      element(1, { role: 'clickable' }),
    ]);
    expect(wants(stacked, clickAt(50, 38))).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'delete' } },
    });
  });

  test.each([
    ['Place order', 'pay'],
    ['the red Delete button', 'delete'],
    ['Send', 'send'],
  ])('judges a canvas target by the description of the model: %s', (what, kind) => {
    const decision = wants(canvas, clickAt(50, 50, what));
    expect(decision).toMatchObject({ kind: 'askHuman', question: { request: { kind } } });
    expect(wants(canvas, clickAt(50, 50, 'The third sail'))).toMatchObject({
      kind: 'act',
      title: expect.stringContaining('“The third sail”'),
    });
  });

  test.each<[string, AgentInput, string]>([
    ['by its kind', examined('pay', 'a green oval'), 'pay'],
    ['by its words', examined('none', 'Delete account'), 'delete'],
    ['for want of an answer', { kind: 'canvasIdentified', target: null }, 'canvas'],
  ])('has a canvas target identified by another model, and asks a person: %s', (_, drawn, kind) => {
    const map = clickAt(50, 60, 'the map');
    expect(nextCommand(after(looking(canvas), thought(map), seen(canvas)))).toEqual({
      kind: 'identifyCanvas',
      point: { x: 50, y: 60 },
    });
    const decision = wants(canvas, map, canvas, drawn);
    expect(decision).toMatchObject({ kind: 'askHuman', question: { kind: 'confirm', request: { kind } } });
    const allowed = after(looking(canvas), thought(map), seen(canvas), drawn, answered);
    expect(nextCommand(allowed)).toMatchObject({ kind: 'act' });
    // The identification does not cover the next action.
    const again = after(allowed, acted, seen(canvas, picture(200)), thought(map), seen(canvas));
    expect(nextCommand(again).kind).toBe('identifyCanvas');
  });

  test.each<[string, Partial<AgentGoal['limits']>]>([
    ['canvas', { autoApprove: new Set(['canvas']) }],
    ['all that it may be', { autoApprove: new Set(['pay', 'delete', 'send']) }],
  ])('needs no identification if the workflow allows %s', (_, limits) => {
    const start = began({ limits: { autoApprove: new Set(), hosts: [], secrets: [], ...limits } });
    const state = after(
      start,
      seen(canvas),
      seen(canvas, picture(1)),
      thought(clickAt(50, 60, 'the map')),
      seen(canvas),
    );
    expect(nextCommand(state).kind).toBe('act');
  });

  test('identifies a nameless element in a canvas at its center, and a drag at its drop point', () => {
    const chart = page([element(0, { name: '', role: 'clickable' }), element(1)], {
      opaqueRegions: canvas.opaqueRegions,
    });
    expect(nextCommand(after(began(), seen(chart), thought(click(0))))).toEqual({
      kind: 'identifyCanvas',
      point: { x: 50, y: 13 },
    });
    expect(nextCommand(after(began(), seen(chart), thought(click(1)))).kind).toBe('act');
    const away: Action = { action: 'drag', target: { point: { x: 1, y: 2 } }, to: { point: { x: 300, y: 400 } } };
    const state = after(looking(canvas), thought({ kind: 'act', action: away }), seen(canvas));
    expect(nextCommand(state)).toEqual({ kind: 'identifyCanvas', point: { x: 300, y: 400 } });
  });

  test('does not type a secret at a point in a frame of another origin', () => {
    const frame = page([element(0, { role: 'textbox', name: 'Password', frame: 'https://ads.test/f' })]);
    const typed: PlannedAction = {
      kind: 'act',
      action: { action: 'fill', target: { point: { x: 50, y: 12 } }, text: '{{inputs.password}}' },
    };
    expect(wants(frame, typed)).toMatchObject({ question: { request: { kind: 'credentials' } } });
  });
});

describe('request with screenshots', () => {
  test('has the last three screenshots, newest last, and marks from the list', () => {
    let state = after(began(), seen(canvas), seen(canvas, picture(1)));
    for (const brightness of [20, 40, 60, 80])
      state = after(
        state,
        thought(clickAt(1, 2)),
        seen(canvas),
        nothingDrawn,
        acted,
        seen(canvas, picture(brightness)),
      );
    const request = modelRequestSchema.parse(actVisionRequest(state, 'mark-7'));
    const images = request.messages[0]?.parts.flatMap((part) => ('image' in part ? [part.image.data] : []));
    expect(images).toEqual([40, 60, 80].map((brightness) => picture(brightness).data));
    const texts = request.messages[0]?.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
    // An older turn is one line.
    expect(texts).toContain('1. on “Catalogue”');
    expect(texts).toContain('Turn 5 of 30');
    expect(request).toMatchObject({ role: 'vision', computer: { replaces: ['act'] } });
  });

  test('has functions that accept marks and points', () => {
    const sight = { focused: null, image: { width: 1280, height: 720 }, secrets: [] };
    const read = (args: Record<string, string | number>) =>
      parseAnswer({ text: '', calls: [{ name: 'act', args }] }, sight);
    const what = 'The sail';
    expect(read({ action: 'click', x: 500, y: 250, what }).moves).toEqual([clickAt(500, 250, what)]);
    expect(read({ action: 'click', element: 3, what }).moves).toEqual([{ ...click(3), what }]);
    expect(read({ action: 'drag', x: 1, y: 2, to_x: 3, to_y: 4, what }).moves).toMatchObject([
      { action: { target: { point: { x: 1, y: 2 } }, to: { point: { x: 3, y: 4 } } } },
    ]);
    expect(read({ action: 'click', x: 1500, y: 250, what })).toMatchObject({
      moves: [],
      problems: [expect.any(String)],
    });
    expect(read({ action: 'navigate', x: 5, y: 2, url: 'https://a.test/', what }).moves).toEqual([]);
  });
});

describe('replanning', () => {
  const stuck = after(began(), seen(two), thought({ kind: 'replan', reason: 'There is no search here' }));

  test('is requested before any action if the goal cannot be reached from the page', () => {
    expect(nextCommand(stuck)).toEqual({ kind: 'replan', reason: 'There is no search here' });
    const request = replanRequest(stuck, 'There is no search here', 'mark-7');
    expect(JSON.stringify(request)).toContain('There is no search here');
    expect(modelRequestSchema.parse(request)).toMatchObject({ role: 'plan' });
  });

  test('adds the plan to later prompts, and allows the same actions again', () => {
    const planned = after(stuck, replan('replan', 'Open the menu first'), seen(two));
    expect(JSON.stringify(actTextRequest(planned, 'mark-7'))).toContain('Open the menu first');
    const clicked = after(began(), seen(two), thought(click(0)), acted, seen(two));
    const again = (decision: ReplanDecision['decision']) =>
      next(
        after(
          { ...clicked, phase: { kind: 'replanning', reason: '' } },
          replan(decision),
          seen(two),
          thought(click(0)),
        ),
      );
    expect(again('retry')).toBe('act');
    expect(again('skip')).not.toBe('act');
  });

  test('asks a person if the model decides so, or its answer is unusable', () => {
    expect(next(after(stuck, replan('ask')))).toBe('askHuman');
    expect(parseReplan('I do not know').decision).toBe('ask');
    expect(parseReplan('{"decision":"dance","why":"x","plan":""}').decision).toBe('ask');
    expect(parseReplan('{"decision":"skip","why":"x","plan":" y "}')).toEqual({
      decision: 'skip',
      why: 'x',
      plan: 'y',
    });
  });
});

describe('other decisions of the supervisor', () => {
  const stuck = after(began(), seen(two), thought({ kind: 'replan', reason: 'The export is not there' }));
  const said = (text: string): AgentInput => ({ kind: 'replanned', replan: parseReplan(text) });

  test('waits for the site, then allows the same actions again', () => {
    const waiting = after(stuck, said('{"decision":"wait","why":"It is made","plan":"","seconds":4}'));
    expect(nextCommand(waiting)).toMatchObject({ kind: 'act', action: { action: 'wait', seconds: 4 } });
    expect(next(after(waiting, acted))).toBe('observe view');
    expect(parseReplan('{"decision":"wait","why":"x","plan":"","seconds":900}').seconds).toBe(30);
    const noTime = after(stuck, said('{"decision":"wait","why":"It is made","plan":"","seconds":0}'));
    expect(nextCommand(noTime)).toMatchObject({ kind: 'act', action: { action: 'wait', seconds: 10 } });
  });

  test('fails the goal with the reason', () => {
    const ended = after(stuck, said('{"decision":"abort","why":"The shop is closed for good","plan":"","seconds":0}'));
    expect(nextCommand(ended)).toEqual({ kind: 'fail', reason: 'The shop is closed for good' });
    expect(notes(ended)).toContain('replanned');
  });
});

describe('facts from other sources', () => {
  test('adds site notes only while the site is open', () => {
    const [site] = parseHostRules(['*.shop.test']);
    const [elsewhere] = parseHostRules(['bank.test']);
    if (!site || !elsewhere) throw new Error('No rules');
    const notesOf = [
      { site, note: 'Prices are without tax' },
      { site: elsewhere, note: 'Never mind' },
    ];
    const told = (url: string) =>
      JSON.stringify(actTextRequest(after(began({ siteNotes: notesOf }), seen(page([], { url }))), 'mark-7'));
    expect(told('https://www.shop.test/')).toContain('Prices are without tax');
    expect(told('https://www.shop.test/')).not.toContain('Never mind');
    expect(told('https://shop.test.evil.test/')).not.toContain('Prices');
  });

  test('adds stored values to later prompts, inside the delimiters', () => {
    const state = after(began(), seen(two), thought({ kind: 'store', key: 'price', value: '4.50' }, click(0)));
    expect(next(state)).toBe('act');
    const request = JSON.stringify(actTextRequest(after(state, acted, seen(other)), 'mark-7'));
    expect(request).toContain('data_stored: price: 4.50');
  });

  test('adds screenshot descriptions to later prompts', () => {
    const state = after(began(), seen(two), thought({ kind: 'analyse', question: 'Which colour?' }));
    expect(nextCommand(state)).toEqual({ kind: 'describeScreenshot', question: 'Which colour?' });
    const told = after(state, { kind: 'screenshotDescribed', description: 'Which colour? → Red' }, seen(two));
    expect(next(told)).toBe('think text');
    expect(JSON.stringify(actTextRequest(told, 'mark-7'))).toContain('Which colour? → Red');
  });
});
