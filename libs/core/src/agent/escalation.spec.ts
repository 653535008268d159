import type { Action } from '@pilothouse/contract/actions/action-sets';
import { modelRequestSchema } from '@pilothouse/contract/model/model.schema';
import {
  elementSchema,
  observationSchema,
  type ElementView,
  type Observation,
} from '@pilothouse/contract/observation/observation.schema';
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

const element = (index: number, overrides: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    index,
    interactive: true,
    role: 'button',
    name: `B${index}`,
    state: {},
    tags: [],
    bounds: { x: 0, y: index * 20, width: 100, height: 20 },
    ...overrides,
  });
const page = (elements: ElementView[], overrides: Partial<Observation> = {}): Observation =>
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
    ...overrides,
  });
const canvas = page([], {
  opaqueRegions: [{ kind: 'canvas', name: '', bounds: { x: 0, y: 0, width: 600, height: 400 } }],
});
const two = page([element(0), element(1)]);
const otherPage = page([element(5)], { document: 2 });

/** A screenshot that depends only on its brightness. */
const screenshot = (brightness: number): ModelScreenshot => ({
  data: Buffer.from(`jpeg ${brightness}`).toString('base64'),
  width: 1280,
  height: 720,
  print: [brightness, 0],
});

const goal = (overrides: Partial<AgentGoal> = {}): AgentGoal => ({
  text: 'Find the rope with {{inputs.password}}',
  outputSchema: null,
  texts: [],
  condition: null,
  maxTurns: 30,
  surface: 'browser',
  siteNotes: [],
  appNotes: [],
  limits: { autoApprove: new Set(), hosts: [], secrets: ['password'] },
  ...overrides,
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
const observed = (observation: Observation, screenshot?: ModelScreenshot): AgentInput => ({
  kind: 'observed',
  observation,
  ...(screenshot && { screenshot }),
});
const modelAnswered = (...actions: PlannedAction[]): AgentInput => ({
  kind: 'modelAnswered',
  answer: { thought: '', actions, problems: [] },
});
const nothing: AgentInput = { kind: 'modelFailed', reason: 'Nothing came', isUnreadable: true };
const acted: AgentInput = { kind: 'acted', error: null };
const nothingIdentified: AgentInput = { kind: 'canvasIdentified', target: { kind: 'none', what: 'a sail' } };
const failure: AgentInput = { kind: 'acted', error: { code: 'TARGET_NOT_ACTIONABLE', message: 'In the way' } };
const replan = (decision: ReplanDecision['decision'], plan = ''): AgentInput => ({
  kind: 'replanned',
  replan: { decision, why: 'So it is', plan },
});
const humanAnswered: AgentInput = { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' };
const reduceAll = (state: AgentState, ...inputs: AgentInput[]) => inputs.reduce(reduce, state);
const initialState = (overrides: Partial<AgentGoal> = {}) => initialAgentState(goal(overrides));
/** Short form of the next command. */
const next = (state: AgentState): string => {
  const decision = nextCommand(state);
  if (decision.kind === 'observe') return `observe ${decision.depth}`;
  return decision.kind === 'think' ? `think ${decision.tier}` : decision.kind;
};
const plannedActions = ({ phase }: AgentState) => ('turn' in phase ? phase.turn?.actions : undefined) ?? [];
const noteKinds = (state: AgentState) => state.history.notes.map(({ kind }) => kind);

/** State after an answer that could be used. */
const withReadableAnswer = (state: AgentState): AgentState => ({
  ...state,
  answers: { ...state.answers, readable: 1 },
});

describe('escalation', () => {
  test('fails if no answer of the goal was usable, instead of waiting for a person', () => {
    let state = reduceAll(initialState(), observed(two));
    for (let time = 0; time < 40 && state.phase.kind !== 'failed'; time += 1) {
      const screenshots = next(state) === 'observe screenshot' ? [screenshot(9)] : [];
      const isObserving = next(state).startsWith('observe');
      state = reduceAll(state, isObserving ? observed(two, ...screenshots) : nothing);
    }
    expect(nextCommand(state)).toEqual({
      kind: 'fail',
      code: 'MODEL_INVALID',
      reason: expect.stringMatching(/No answer of the model was usable \(5 answers\).*PILOTHOUSE_MODEL_OVERRIDES/),
    });
  });

  test('asks a person if all answers of the goal were blocked or cut off', () => {
    const cutOff: AgentInput = { kind: 'modelFailed', reason: 'Cut off', isUnreadable: false };
    let state = reduceAll(initialState(), observed(two));
    for (let time = 0; time < 80 && next(state) !== 'askHuman' && next(state) !== 'fail'; time += 1) {
      if (next(state) === 'observe screenshot') state = reduceAll(state, observed(two, screenshot(9)));
      else if (next(state).startsWith('observe')) state = reduceAll(state, observed(two));
      else state = reduceAll(state, next(state) === 'replan' ? replan('replan') : cutOff);
    }
    expect(nextCommand(state)).toMatchObject({ kind: 'askHuman' });
    expect(state.answers).toMatchObject({ readable: 0, unreadable: 0 });
  });

  test('writes JSON for the rest of the goal after an unreadable answer of a model without a known dialect', () => {
    const prose: AgentInput = {
      kind: 'modelAnswered',
      answer: { thought: 'Done.', actions: [], problems: ['No action'], unreadable: 'other-dialect' },
    };
    const state = reduceAll(initialState(), observed(two), prose, observed(two));
    expect(actTextRequest(state, '1').dialect).toBe('aura');
    expect(actTextRequest(reduceAll(initialState(), observed(two)), '1').dialect).toBeUndefined();
  });

  test('tries the list twice, the whole page, screenshots, another plan, and a person', () => {
    let state = withReadableAnswer(reduceAll(initialState(), observed(two)));
    const path: string[] = [];
    for (let time = 0; time < 40 && next(state) !== 'askHuman'; time += 1) {
      const now = next(state);
      path.push(now);
      if (now === 'observe screenshot') state = reduceAll(state, observed(two, screenshot(9)));
      else if (now.startsWith('observe')) state = reduceAll(state, observed(two));
      else state = reduceAll(state, now === 'replan' ? replan('replan') : nothing);
    }
    const byList = ['think text', 'observe view', 'think text', 'observe page'];
    const byScreenshot = [
      'observe screenshot',
      'think vision',
      'observe screenshot',
      'think vision',
      'observe screenshot',
      'think vision',
    ];
    const round = [...byList, ...byScreenshot, 'replan', 'observe view'];
    expect(path).toEqual([...round, ...round, ...byList, ...byScreenshot]);
    expect(nextCommand(state)).toMatchObject({ kind: 'askHuman', reason: expect.stringContaining('stuck') });
    expect(state.escalation.highest).toBe('replan');
    expect(reduceAll(state, humanAnswered)).toMatchObject({
      escalation: { highest: 'human', tier: 'text', failures: 0, replans: 0 },
    });
  });

  test('checks a rejected claim on the whole page before a screenshot', () => {
    const claim = { answer: null, anchor: 'Cart', indicators: ['Rope'] };
    const rejection: AgentInput = { kind: 'claimChecked', verdict: { result: 'not-met', detail: 'no Rope' } };
    const state = reduceAll(
      initialState(),
      observed(two),
      modelAnswered({ kind: 'done', claim }),
      rejection,
      observed(two),
      nothing,
      observed(two),
    );
    expect(nextCommand(state)).toEqual({ kind: 'checkClaim', claim, isEarly: true });
    expect(next(reduceAll(state, rejection))).toBe('observe screenshot');
    expect(next(reduceAll(state, { kind: 'claimChecked', verdict: { result: 'met', verifiedBy: 'text' } }))).toBe(
      'done',
    );
  });

  test('takes a screenshot after three failures in a row, even if the page changed by itself', () => {
    let state = reduceAll(initialState(), observed(two));
    for (const [index, observation] of [otherPage, page([element(7)], { document: 3 })].entries()) {
      state = reduceAll(state, nothing, observed(observation));
      expect([index, next(state)]).toEqual([index, 'think text']);
    }
    expect(next(reduceAll(state, nothing))).toBe('observe screenshot');
  });

  test('takes a screenshot after a repeated turn on the same page', () => {
    const state = reduceAll(
      initialState(),
      observed(two),
      modelAnswered(click(0)),
      acted,
      observed(two),
      modelAnswered(click(0)),
    );
    expect(next(state)).toBe('observe screenshot');
    expect(noteKinds(state)).toEqual(['repeated_turn', 'escalated']);
  });

  test('takes a screenshot at once on a page without listed elements', () => {
    const state = reduceAll(initialState(), observed(canvas));
    expect(next(state)).toBe('observe screenshot');
    expect(next(reduceAll(state, observed(canvas, screenshot(1))))).toBe('think vision');
    expect(next(reduceAll(initialState(), observed({ ...canvas, loading: true })))).toBe('think text');
  });

  test('takes a screenshot if the model asks for it', () => {
    const state = reduceAll(initialState(), observed(two), modelAnswered({ kind: 'see' }));
    expect(next(state)).toBe('observe screenshot');
    expect(next(reduceAll(state, observed(two, screenshot(1))))).toBe('think vision');
  });

  test('replans after three repeats', () => {
    const start = initialState();
    const looping = { ...start, escalation: { ...start.escalation, repeats: 2 } };
    const state = reduceAll(
      looping,
      observed(two),
      modelAnswered(click(0)),
      acted,
      observed(two),
      modelAnswered(click(0)),
    );
    expect(next(state)).toBe('replan');
  });
});

describe('de-escalation', () => {
  const looking = reduceAll(
    initialState(),
    observed(two),
    nothing,
    observed(two),
    nothing,
    observed(two),
    observed(two, screenshot(1)),
  );

  test('returns to the list after progress', () => {
    expect(next(looking)).toBe('think vision');
    const did = reduceAll(looking, modelAnswered(click(0)), acted);
    expect(next(did)).toBe('observe screenshot');
    expect(reduceAll(did, observed(otherPage, screenshot(2)))).toMatchObject({
      escalation: { tier: 'text', failures: 0, depth: 'view' },
    });
    // Only the canvas may have changed.
    expect(next(reduceAll(did, observed(two, screenshot(50))))).toBe('think text');
  });

  test('does not count an action without a visible change', () => {
    const state = reduceAll(looking, modelAnswered(click(0)), acted, observed(two, screenshot(1)));
    expect(next(state)).toBe('observe screenshot');
    expect(state.history.notes.at(-1)).toMatchObject({
      kind: 'problem',
      note: expect.stringContaining('Nothing visible changed'),
    });
  });

  test('does not count a change of the page during a failure', () => {
    expect(reduceAll(looking, modelAnswered(click(0)), failure, observed(otherPage, screenshot(9)))).toMatchObject({
      escalation: { tier: 'vision' },
    });
  });

  test('keeps the vision tier on a canvas-only page', () => {
    const state = reduceAll(
      initialState(),
      observed(canvas),
      observed(canvas, screenshot(1)),
      modelAnswered(clickAt(1, 2)),
      observed(canvas),
      nothingIdentified,
      acted,
    );
    expect(next(reduceAll(state, observed(canvas, screenshot(9))))).toBe('think vision');
  });

  test('does not count the same point on another screenshot as a repeat', () => {
    let state = reduceAll(initialState(), observed(canvas), observed(canvas, screenshot(1)));
    for (const brightness of [20, 40, 60])
      state = reduceAll(
        state,
        modelAnswered(clickAt(1, 2)),
        observed(canvas),
        nothingIdentified,
        acted,
        observed(canvas, screenshot(brightness)),
      );
    expect(noteKinds(state)).not.toContain('repeated_turn');
    state = reduceAll(
      state,
      modelAnswered(clickAt(1, 2)),
      observed(canvas),
      nothingIdentified,
      acted,
      observed(canvas, screenshot(60)),
      observed(canvas, screenshot(60)),
      modelAnswered(clickAt(1, 2)),
    );
    expect(noteKinds(state)).toContain('repeated_turn');
  });
});

describe('without a vision model', () => {
  const blind: AgentInput = { kind: 'visionUnavailable', reason: 'No model is set for "see"' };

  test('notes it once and uses the list, then another plan, then a person', () => {
    let state = reduceAll(
      withReadableAnswer(initialState()),
      observed(two),
      nothing,
      observed(two),
      nothing,
      observed(two),
      observed(two, screenshot(1)),
      blind,
    );
    expect(state.history.notes.at(-1)).toMatchObject({
      kind: 'problem',
      note: expect.stringContaining('No model is set'),
    });
    const path: string[] = [];
    for (let time = 0; time < 40 && next(state) !== 'askHuman'; time += 1) {
      const now = next(state);
      path.push(now);
      state = reduceAll(
        state,
        now.startsWith('observe') ? observed(two) : now === 'replan' ? replan('retry') : nothing,
      );
    }
    expect(path.join()).not.toContain('screenshot');
    expect(path.filter((command) => command === 'replan')).toHaveLength(2);
    expect(state.escalation.highest).toBe('replan');
  });

  test('reports to the model that there is no screenshot', () => {
    const state = reduceAll(
      initialState(),
      observed(canvas),
      observed(canvas, screenshot(1)),
      blind,
      observed(canvas),
      modelAnswered({ kind: 'see' }),
    );
    expect(state.history.notes.at(-1)?.note).toContain('No vision model is available');
    expect(next(state)).toBe('observe page');
  });
});

describe('turn with a screenshot', () => {
  const looking = (observation = two) =>
    reduceAll(
      initialState(),
      observed(observation),
      modelAnswered({ kind: 'see' }),
      observed(observation, screenshot(1)),
    );
  const canvasIdentified = (kind: CanvasTarget['kind'], what: string): AgentInput => ({
    kind: 'canvasIdentified',
    target: { kind, what },
  });
  const stateAfter = (
    observation: Observation,
    move: PlannedAction,
    now = observation,
    identified = canvasIdentified('none', 'a sail'),
  ) => {
    const state = reduceAll(looking(observation), modelAnswered(move), observed(now));
    return nextCommand(nextCommand(state).kind === 'identifyCanvas' ? reduceAll(state, identified) : state);
  };

  test('keeps the first action only, or a text with its Enter', () => {
    expect(plannedActions(reduceAll(looking(), modelAnswered(click(0), click(1))))).toHaveLength(1);
    const text: PlannedAction = { kind: 'act', action: { action: 'type', target: { elementIndex: 0 }, text: 'x' } };
    const enter: PlannedAction = { kind: 'act', action: { action: 'press', key: 'Enter' } };
    expect(plannedActions(reduceAll(looking(), modelAnswered(text, enter, click(1))))).toHaveLength(2);
  });

  test('replaces a point on a control with the control', () => {
    expect(stateAfter(two, clickAt(50, 12))).toMatchObject({
      action: { action: 'click', target: { elementIndex: 0 } },
    });
    expect(stateAfter(canvas, clickAt(50, 12))).toMatchObject({ action: { target: { point: { x: 50, y: 12 } } } });
    const slider = page([element(0, { role: 'slider' })]);
    expect(stateAfter(slider, clickAt(50, 12))).toMatchObject({ action: { target: { point: { x: 50, y: 12 } } } });
  });

  test('checks the current element at the point, not the one of the screenshot', () => {
    const pay = page([element(0, { name: 'Pay 40 €' }), element(1)]);
    expect(stateAfter(pay, clickAt(50, 12))).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'pay' } },
    });
    expect(stateAfter(two, clickAt(50, 12), pay)).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'pay' } },
    });
    expect(stateAfter(pay, clickAt(900, 900))).toMatchObject({ kind: 'act' });
  });

  test('checks all nested elements at a point', () => {
    const stacked = page([
      element(0, { name: 'Delete account', bounds: { x: 0, y: 0, width: 900, height: 700 } }),
      element(1, { role: 'clickable' }),
    ]);
    expect(stateAfter(stacked, clickAt(50, 38))).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'delete' } },
    });
  });

  test.each([
    ['Place order', 'pay'],
    ['the red Delete button', 'delete'],
    ['Send', 'send'],
  ])('judges a canvas target by the description of the model: %s', (what, kind) => {
    const decision = stateAfter(canvas, clickAt(50, 50, what));
    expect(decision).toMatchObject({ kind: 'askHuman', question: { request: { kind } } });
    expect(stateAfter(canvas, clickAt(50, 50, 'The third sail'))).toMatchObject({
      kind: 'act',
      title: expect.stringContaining('“The third sail”'),
    });
  });

  test.each<[string, AgentInput, string]>([
    ['by its kind', canvasIdentified('pay', 'a green oval'), 'pay'],
    ['by its words', canvasIdentified('none', 'Delete account'), 'delete'],
    ['for want of an answer', { kind: 'canvasIdentified', target: null }, 'canvas'],
  ])('has a canvas target identified by another model, and asks a person: %s', (_, identified, kind) => {
    const map = clickAt(50, 60, 'the map');
    expect(nextCommand(reduceAll(looking(canvas), modelAnswered(map), observed(canvas)))).toEqual({
      kind: 'identifyCanvas',
      point: { x: 50, y: 60 },
    });
    const decision = stateAfter(canvas, map, canvas, identified);
    expect(decision).toMatchObject({ kind: 'askHuman', question: { kind: 'confirm', request: { kind } } });
    const afterApproval = reduceAll(looking(canvas), modelAnswered(map), observed(canvas), identified, humanAnswered);
    expect(nextCommand(afterApproval)).toMatchObject({ kind: 'act' });
    // The identification does not cover the next action.
    const afterRepeat = reduceAll(
      afterApproval,
      acted,
      observed(canvas, screenshot(200)),
      modelAnswered(map),
      observed(canvas),
    );
    expect(nextCommand(afterRepeat).kind).toBe('identifyCanvas');
  });

  test.each<[string, Partial<AgentGoal['limits']>]>([
    ['canvas', { autoApprove: new Set(['canvas']) }],
    ['all that it may be', { autoApprove: new Set(['pay', 'delete', 'send']) }],
  ])('needs no identification if the workflow allows %s', (_, limits) => {
    const start = initialState({ limits: { autoApprove: new Set(), hosts: [], secrets: [], ...limits } });
    const state = reduceAll(
      start,
      observed(canvas),
      observed(canvas, screenshot(1)),
      modelAnswered(clickAt(50, 60, 'the map')),
      observed(canvas),
    );
    expect(nextCommand(state).kind).toBe('act');
  });

  test('identifies an unnamed element in a canvas at its center, and a drag at its drop point', () => {
    const chart = page([element(0, { name: '', role: 'clickable' }), element(1)], {
      opaqueRegions: canvas.opaqueRegions,
    });
    expect(nextCommand(reduceAll(initialState(), observed(chart), modelAnswered(click(0))))).toEqual({
      kind: 'identifyCanvas',
      point: { x: 50, y: 13 },
    });
    expect(nextCommand(reduceAll(initialState(), observed(chart), modelAnswered(click(1)))).kind).toBe('act');
    const dragAway: Action = { action: 'drag', target: { point: { x: 1, y: 2 } }, to: { point: { x: 300, y: 400 } } };
    const state = reduceAll(looking(canvas), modelAnswered({ kind: 'act', action: dragAway }), observed(canvas));
    expect(nextCommand(state)).toEqual({ kind: 'identifyCanvas', point: { x: 300, y: 400 } });
  });

  test('does not type a secret at a point in a frame of another origin', () => {
    const frame = page([element(0, { role: 'textbox', name: 'Password', frame: 'https://ads.test/f' })]);
    const typing: PlannedAction = {
      kind: 'act',
      action: { action: 'fill', target: { point: { x: 50, y: 12 } }, text: '{{inputs.password}}' },
    };
    expect(stateAfter(frame, typing)).toMatchObject({ question: { request: { kind: 'credentials' } } });
  });
});

describe('request with screenshots', () => {
  test('has the last three screenshots, newest last, and marks from the list', () => {
    let state = reduceAll(initialState(), observed(canvas), observed(canvas, screenshot(1)));
    for (const brightness of [20, 40, 60, 80])
      state = reduceAll(
        state,
        modelAnswered(clickAt(1, 2)),
        observed(canvas),
        nothingIdentified,
        acted,
        observed(canvas, screenshot(brightness)),
      );
    const request = modelRequestSchema.parse(actVisionRequest(state, 'mark-7'));
    const images = request.messages[0]?.parts.flatMap((part) => ('image' in part ? [part.image.data] : []));
    expect(images).toEqual([40, 60, 80].map((brightness) => screenshot(brightness).data));
    const texts = request.messages[0]?.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
    // An older turn is one line.
    expect(texts).toContain('1. on “Catalogue”');
    expect(texts).toContain('Turn 5 of 30');
    expect(request).toMatchObject({ role: 'vision', computer: { replaces: ['act'] } });
  });

  test('has functions that accept marks and points', () => {
    const answerContext = {
      surface: 'browser' as const,
      focused: null,
      image: { width: 1280, height: 720 },
      secrets: [],
    };
    const parse = (args: Record<string, string | number>) =>
      parseAnswer({ text: '', calls: [{ name: 'act', args }] }, answerContext);
    const what = 'The sail';
    expect(parse({ action: 'click', x: 500, y: 250, what }).actions).toEqual([clickAt(500, 250, what)]);
    expect(parse({ action: 'click', element: 3, what }).actions).toEqual([{ ...click(3), what }]);
    expect(parse({ action: 'drag', x: 1, y: 2, to_x: 3, to_y: 4, what }).actions).toMatchObject([
      { action: { target: { point: { x: 1, y: 2 } }, to: { point: { x: 3, y: 4 } } } },
    ]);
    expect(parse({ action: 'click', x: 1500, y: 250, what })).toMatchObject({
      actions: [],
      problems: [expect.any(String)],
    });
    expect(parse({ action: 'navigate', x: 5, y: 2, url: 'https://a.test/', what }).actions).toEqual([]);
  });
});

describe('replanning', () => {
  const stuck = reduceAll(
    initialState(),
    observed(two),
    modelAnswered({ kind: 'replan', reason: 'There is no search here' }),
  );

  test('is requested before any action if the goal cannot be reached from the page', () => {
    expect(nextCommand(stuck)).toEqual({ kind: 'replan', reason: 'There is no search here' });
    const request = replanRequest(stuck, 'There is no search here', 'mark-7');
    expect(JSON.stringify(request)).toContain('There is no search here');
    expect(modelRequestSchema.parse(request)).toMatchObject({ role: 'plan' });
  });

  test('adds the plan to later prompts, and allows the same actions again', () => {
    const afterReplan = reduceAll(stuck, replan('replan', 'Open the menu first'), observed(two));
    expect(JSON.stringify(actTextRequest(afterReplan, 'mark-7'))).toContain('Open the menu first');
    const afterClick = reduceAll(initialState(), observed(two), modelAnswered(click(0)), acted, observed(two));
    const repeatAfter = (decision: ReplanDecision['decision']) =>
      next(
        reduceAll(
          { ...afterClick, phase: { kind: 'replanning', reason: '' } },
          replan(decision),
          observed(two),
          modelAnswered(click(0)),
        ),
      );
    expect(repeatAfter('retry')).toBe('act');
    expect(repeatAfter('skip')).not.toBe('act');
  });

  test('asks a person if the model decides so, or its answer is unusable', () => {
    expect(next(reduceAll(stuck, replan('ask')))).toBe('askHuman');
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
  const stuck = reduceAll(
    initialState(),
    observed(two),
    modelAnswered({ kind: 'replan', reason: 'The export is not there' }),
  );
  const replanned = (text: string): AgentInput => ({ kind: 'replanned', replan: parseReplan(text) });

  test('waits for the site, then allows the same actions again', () => {
    const waiting = reduceAll(stuck, replanned('{"decision":"wait","why":"It is made","plan":"","seconds":4}'));
    expect(nextCommand(waiting)).toMatchObject({ kind: 'act', action: { action: 'wait', seconds: 4 } });
    expect(next(reduceAll(waiting, acted))).toBe('observe view');
    expect(parseReplan('{"decision":"wait","why":"x","plan":"","seconds":900}').seconds).toBe(30);
    const noTime = reduceAll(stuck, replanned('{"decision":"wait","why":"It is made","plan":"","seconds":0}'));
    expect(nextCommand(noTime)).toMatchObject({ kind: 'act', action: { action: 'wait', seconds: 10 } });
  });

  test('fails the goal with the reason', () => {
    const afterAbort = reduceAll(
      stuck,
      replanned('{"decision":"abort","why":"The shop is closed for good","plan":"","seconds":0}'),
    );
    expect(nextCommand(afterAbort)).toEqual({ kind: 'fail', reason: 'The shop is closed for good' });
    expect(noteKinds(afterAbort)).toContain('replanned');
  });
});

describe('facts from other sources', () => {
  test('adds site notes only while the site is open', () => {
    const [site] = parseHostRules(['*.shop.test']);
    const [elsewhere] = parseHostRules(['bank.test']);
    if (!site || !elsewhere) throw new Error('No rules');
    const siteNotes = [
      { site, note: 'Prices are without tax' },
      { site: elsewhere, note: 'Never mind' },
    ];
    const promptAt = (url: string) =>
      JSON.stringify(actTextRequest(reduceAll(initialState({ siteNotes }), observed(page([], { url }))), 'mark-7'));
    expect(promptAt('https://www.shop.test/')).toContain('Prices are without tax');
    expect(promptAt('https://www.shop.test/')).not.toContain('Never mind');
    expect(promptAt('https://shop.test.evil.test/')).not.toContain('Prices');
  });

  test('adds stored values to later prompts, inside the delimiters', () => {
    const state = reduceAll(
      initialState(),
      observed(two),
      modelAnswered({ kind: 'store', key: 'price', value: '4.50' }, click(0)),
    );
    expect(next(state)).toBe('act');
    const request = JSON.stringify(actTextRequest(reduceAll(state, acted, observed(otherPage)), 'mark-7'));
    expect(request).toContain('data_stored: price: 4.50');
  });

  test('adds screenshot descriptions to later prompts', () => {
    const state = reduceAll(
      initialState(),
      observed(two),
      modelAnswered({ kind: 'analyse', question: 'Which color?' }),
    );
    expect(nextCommand(state)).toEqual({ kind: 'describeScreenshot', question: 'Which color?' });
    const afterDescription = reduceAll(
      state,
      { kind: 'screenshotDescribed', description: 'Which color? → Red' },
      observed(two),
    );
    expect(next(afterDescription)).toBe('think text');
    expect(JSON.stringify(actTextRequest(afterDescription, 'mark-7'))).toContain('Which color? → Red');
  });
});
