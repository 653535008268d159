import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import { modelRequestSchema } from '@pilothouse/contract/model/model.schema';
import {
  elementSchema,
  observationSchema,
  type ElementView,
  type Observation,
} from '@pilothouse/contract/observation/observation.schema';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import { parseAnswer } from './dialects/read-answer.ts';
import { reduce } from './agent-reducer.ts';
import { initialAgentState, type AgentState } from './agent-state.ts';
import { nextCommand } from './next-command.ts';
import type { AgentInput } from './agent-protocol.ts';
import type { PlannedAction } from './planned-action.ts';
import { actTextRequest } from './prompts/prompt-sections.ts';
import { replanRequest } from './prompts/replan.prompt.ts';
import { verifyGoalRequest, verifyTurnRequest } from './prompts/verify.prompt.ts';

/* Expected results of turns, and the handling of unmet ones. */

const text = (name: string): Partial<ElementView> => ({ interactive: false, role: 'text', name });
const page = (names: readonly (string | Partial<ElementView>)[], overrides: Partial<Observation> = {}): Observation =>
  observationSchema.parse({
    url: 'https://shop.test/login',
    title: 'Log in',
    document: 1,
    loading: false,
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    focused: null,
    elements: names.map((nameOrFields, index) =>
      elementSchema.parse({
        index,
        interactive: true,
        role: 'button',
        state: {},
        tags: [],
        bounds: { x: 0, y: index * 20, width: 100, height: 20 },
        ...(typeof nameOrFields === 'string' ? { name: nameOrFields } : nameOrFields),
      }),
    ),
    opaqueRegions: [],
    ...overrides,
  });
const login = page(['Log in', 'Help']);
const wrongPassword = page(['Log in', 'Help', text('Wrong password')]);
const account = page(['Log out', text('Welcome, Robin')], { url: 'https://shop.test/account', title: 'Account' });
const elsewhere = page([text('Gone')], { url: 'https://shop.test/gone', title: 'Not found', document: 2 });

const goal = (overrides = {}) =>
  initialAgentState({
    text: 'Log in',
    outputSchema: null,
    texts: [],
    condition: null,
    maxTurns: 30,
    surface: 'browser',
    siteNotes: [],
    appNotes: [],
    limits: { autoApprove: new Set(), hosts: [], secrets: [] },
    ...overrides,
  });
const expects = (anchor: string | null, ...indicators: string[]): Expectation => ({ anchor, indicators });
const click = (index: number, expected?: Expectation): PlannedAction => ({
  kind: 'act',
  action: { action: 'click', target: { elementIndex: index } },
  expects: expected,
});
const observed = (observation: Observation): AgentInput => ({ kind: 'observed', observation });
const thought = (...actions: PlannedAction[]): AgentInput => ({
  kind: 'modelAnswered',
  answer: { thought: '', actions, problems: [] },
});
const acted = (anchors: Observation | null = null): AgentInput => ({ kind: 'acted', error: null, anchors });
const located = (anchors: Observation): AgentInput => ({ kind: 'located', anchors });
const reduceAll = (state: AgentState, ...inputs: AgentInput[]) => inputs.reduce(reduce, state);
const next = (state: AgentState): string => {
  const decision = nextCommand(state);
  if (decision.kind !== 'observe') return decision.kind;
  return `observe ${decision.depth}${decision.condition ? ' until' : ''}`;
};
const last = (state: AgentState) => state.history.notes.at(-1);
const promptOf = (state: AgentState) => JSON.stringify(actTextRequest(state, 'mark-7').messages);

const plannedActions = ({ phase }: AgentState) => ('turn' in phase ? phase.turn?.actions : undefined) ?? [];
/** Expectation that the agent still waits for. */
const pendingExpectation = ({ phase }: AgentState) => {
  if (phase.kind === 'waiting') return phase.expectation;
  return ('turn' in phase ? phase.turn?.expectation : undefined) ?? null;
};
const withFailures = (state: AgentState, failures: number): AgentState => ({
  ...state,
  escalation: { ...state.escalation, failures },
});
const withoutAttempts = (state: AgentState): AgentState => ({
  ...state,
  history: { ...state.history, attempted: new Set() },
});

/** A finished turn before its verification. */
const turn = (expected: Expectation, start = reduceAll(goal(), observed(login)), anchors: Observation | null = null) =>
  reduceAll(start, thought(click(0, expected)), acted(anchors));

describe('met expectation', () => {
  test('needs no wait; the newly met part becomes a note outside the prompt', () => {
    const state = reduceAll(turn(expects('Account', 'Welcome', 'Log'), undefined, account), observed(account));
    expect(next(state)).toBe('think');
    expect(state).toMatchObject({ escalation: { failures: 0 } });
    expect(last(state)).toEqual({
      kind: 'verified',
      turn: 1,
      note: 'As expected: title or address with "Account" and texts "Welcome"',
      newlyMet: expects('Account', 'Welcome'),
    });
    expect(promptOf(state)).not.toContain('As expected');
  });

  test('is ignored if the page met it before the turn', () => {
    const state = reduceAll(turn(expects('Log in', 'Help')), observed(login));
    expect(next(state)).toBe('think');
    expect(state.history.notes).toEqual([]);
  });

  test('resets the failures, and only then', () => {
    const failing = withFailures(reduceAll(goal(), observed(login)), 1);
    const afterTyping = page(['Log in', 'Help', text('x')]);
    const twice = reduceAll(failing, thought(click(1), click(0, expects('Account'))), acted(), observed(afterTyping));
    expect(twice.escalation.failures).toBe(1);
    expect(reduceAll(twice, acted(account), observed(account)).escalation.failures).toBe(0);
  });
});

describe('pending expectation is observed as cheaply as possible', () => {
  test('another page by URL and title, without an element list before it appears', () => {
    const waiting = turn(expects('Account', 'Welcome'), undefined, login);
    expect(nextCommand(waiting)).toMatchObject({
      kind: 'observe',
      depth: 'anchors',
      condition: expects('Account', 'Welcome'),
    });
    const atAccount = reduceAll(waiting, located(account));
    expect(next(atAccount)).toBe('observe view');
    expect(next(reduceAll(atAccount, observed(account)))).toBe('think');
    // Texts of the expected page may appear later.
    expect(next(reduceAll(atAccount, observed({ ...account, elements: [] })))).toBe('observe page until');
  });

  test('texts by the whole page, which is used for nothing else', () => {
    const waiting = reduceAll(turn(expects(null, 'Welcome')), observed(wrongPassword));
    expect(next(waiting)).toBe('observe page until');
    const wholePage = { ...wrongPassword, text: { text: 'Far below: Welcome', length: 18 } };
    const state = reduceAll(waiting, observed(wholePage));
    expect(last(state)).toMatchObject({ kind: 'verified', newlyMet: expects(null, 'Welcome') });
    expect(promptOf(state)).not.toContain('Far below');
  });

  test('without a further wait for texts if the page did not appear', () => {
    const afterMiss = reduceAll(turn(expects('Account', 'Welcome'), undefined, login), located(login));
    expect(next(afterMiss)).toBe('observe page');
    expect(next(reduceAll(afterMiss, observed(login)))).toBe('observe view');
    expect(next(reduceAll(turn(expects('Account'), undefined, login), located(login)))).toBe('observe view');
  });

  test('not at all if actions were dropped, failed or belong to a person', () => {
    const start = reduceAll(goal(), observed(login));
    const changedPage = page(['Log in', 'Help', 'Close']);
    const twoClicks = thought(click(1), click(0, expects('Account')));
    expect(reduceAll(start, twoClicks, acted(), observed(changedPage))).toMatchObject({
      phase: { kind: 'thinking' },
      escalation: { failures: 0 },
    });
    const error: AgentInput = { kind: 'acted', error: { code: 'TARGET_NOT_ACTIONABLE', message: 'In the way' } };
    expect(pendingExpectation(reduceAll(start, twoClicks, error))).toBeNull();
    const control: AgentInput = { kind: 'manualControlEnded', actor: 'Ada', actions: [] };
    expect(pendingExpectation(reduceAll(turn(expects('Account')), control))).toBeNull();
  });
});

describe('unmet expectation', () => {
  /** The turn with all observations that it needs. */
  const afterUnmet = (expected: Expectation, nextPage: Observation, start?: AgentState) => {
    let state = turn(expected, start, nextPage);
    for (
      let observations = 0;
      observations < 4 && pendingExpectation(state) && nextCommand(state).kind === 'observe';
      observations += 1
    )
      state = reduceAll(state, next(state).startsWith('observe anchors') ? located(nextPage) : observed(nextPage));
    return state;
  };

  test('is a failure if nothing changed; twice leads to the whole page, then to a screenshot', () => {
    let state = afterUnmet(expects('Account', 'Welcome'), login);
    expect(state.escalation.failures).toBe(1);
    expect(promptOf(reduceAll(state, observed(login)))).toContain(
      '! problem: Expected title or address with \\"Account\\" and texts \\"Welcome\\"; instead nothing changed',
    );
    state = afterUnmet(expects('Account'), login, reduceAll(withoutAttempts(state), observed(login)));
    expect(state).toMatchObject({ escalation: { failures: 2, depth: 'page' } });
    expect(next(reduceAll(state, observed(login)))).toBe('observe screenshot');
  });

  test.each<[string, Expectation, Observation]>([
    ['it came to another place', expects('Account', 'Welcome'), elsewhere],
    ['a text is another than the model thought', expects(null, 'Hello'), wrongPassword],
    ['a part of it came', expects('Account', 'Wrong password'), wrongPassword],
    ['the place came and a text did not', expects('Account', 'Hello'), account],
  ])('is a note and no failure if the page changed: %s', (_, expected, nextPage) => {
    const state = afterUnmet(expected, nextPage, withFailures(reduceAll(goal(), observed(login)), 1));
    expect(next(state)).toBe('think');
    expect(state.escalation.failures).toBe(0);
    expect(last(state)).toMatchObject({ kind: 'page_changed', note: expect.stringMatching(/^Expected /) });
  });

  test('is a failure if another page was expected; the second time in a row a model verifies', () => {
    const once = afterUnmet(expects('Account'), wrongPassword);
    expect(once).toMatchObject({
      escalation: { failures: 1 },
      history: { notes: [{ kind: 'problem', note: expect.stringContaining('title and address did not change') }] },
    });
    const start = reduceAll(once, observed(login));
    const state = afterUnmet(expects('Account'), wrongPassword, reduceAll(withoutAttempts(start), observed(login)));
    const decision = nextCommand(state);
    expect(decision).toMatchObject({ kind: 'verifyTurn', expectation: { anchor: 'Account' } });
    const verdict = (result: 'met' | 'not-met' | 'undecided'): AgentInput => ({
      kind: 'turnVerified',
      verdict: result === 'met' ? { result, verifiedBy: 'model' } : { result, detail: 'A red message came' },
    });
    expect(reduceAll(state, verdict('met'))).toMatchObject({ escalation: { failures: 0 } });
    expect(next(reduceAll(state, verdict('met'), observed(wrongPassword)))).toBe('think');
    const afterVerdict = reduceAll(state, verdict('not-met'));
    expect(afterVerdict).toMatchObject({ escalation: { failures: 2, depth: 'page' } });
    expect(last(afterVerdict)?.note).toContain('A red message came');
    expect(next(reduceAll(afterVerdict, observed(wrongPassword)))).toBe('observe screenshot');
    expect(reduceAll(state, verdict('undecided'))).toMatchObject({ escalation: { failures: 2 } });
  });

  test('never causes a replan by itself without a vision model if the page changes', () => {
    let state = reduceAll(goal(), observed(login));
    for (let time = 0; time < 8; time += 1) {
      state = afterUnmet(expects('Account'), time % 2 === 0 ? wrongPassword : login, {
        ...withoutAttempts(state),
        escalation: { ...state.escalation, visionAvailable: false },
      });
      state = reduceAll(state, observed(time % 2 === 0 ? wrongPassword : login));
      expect(nextCommand(state).kind).toBe('think');
    }
  });

  test('is verified with both screenshots and delimited page content', () => {
    const frame = (data: string): ModelScreenshot => ({ data, width: 2, height: 2, print: [] });
    const state = afterUnmet(expects('Account'), wrongPassword);
    const request = verifyTurnRequest(
      state,
      'Expected mark-7',
      { initial: frame('YQ=='), current: frame('Yg==') },
      'mark-7',
    );
    const parts = modelRequestSchema.parse(request).messages[0]?.parts ?? [];
    expect(parts.flatMap((part) => ('image' in part ? [part.image.data] : []))).toEqual(['YQ==', 'Yg==']);
    expect(parts.at(-1)).toMatchObject({
      text: expect.stringMatching(/<<<turn mark-7\nClick \[0\].*\nExpected \n>>>/),
    });
  });
});

describe('expectation in a call', () => {
  const parseCall = (...args: object[]) =>
    parseAnswer(
      { text: '', calls: args.map((args) => ({ name: 'act', args: { action: 'click', element: 0, ...args } })) },
      { surface: 'browser' as const, focused: null, image: null, secrets: [] },
    );

  test('uses the parameters of done; ignores empty and oversized values', () => {
    const expectedResult = { title_or_url: 'Account', indicators: ['Welcome'], sub_goals: 'done: log in; next: pay' };
    expect(parseCall(expectedResult)).toMatchObject({
      actions: [{ kind: 'act', expects: expects('Account', 'Welcome') }],
      problems: [],
      subGoals: 'done: log in; next: pay',
    });
    expect(parseCall({ title_or_url: '', indicators: [], sub_goals: ' ' })).toEqual({
      thought: '',
      actions: [{ kind: 'act', action: { action: 'click', target: { elementIndex: 0 } } }],
      problems: [],
    });
    const long = parseCall({ indicators: ['x'.repeat(300), 'a', 'b', 'c', 'd', 'e', 'f'], sub_goals: 'y'.repeat(900) });
    expect(long.actions).toMatchObject([{ expects: { indicators: ['a', 'b', 'c', 'd', 'e'] } }]);
    expect(long.subGoals?.length).toBeLessThan(300);
  });

  test('applies to the whole turn from any call, unless the turn ends with another kind of action', () => {
    const plannedAfter = (...actions: PlannedAction[]) =>
      plannedActions(reduceAll(goal(), observed(login), thought(...actions)));
    expect(plannedAfter(click(0, expects('Account')), click(1))).toMatchObject([
      { expects: undefined },
      { expects: expects('Account') },
    ]);
    expect(plannedAfter(click(0, expects('Account')), { kind: 'read' })).toMatchObject([
      { expects: undefined },
      { kind: 'read' },
    ]);
  });

  test('repeats the last sub-goals for model and supervisor, always inside the delimiters', () => {
    const reading = { thought: '', actions: [click(0)], problems: [], subGoals: 'done: A; next: B' };
    const state = reduceAll(
      goal(),
      observed(login),
      { kind: 'modelAnswered', answer: reading },
      acted(),
      observed(account),
      thought(click(0)),
    );
    const claim = { answer: null, anchor: null, indicators: [] };
    const verdict = JSON.stringify(verifyGoalRequest(state, claim, 'x', account, 'mark-7'));
    expect(verdict).toContain('<<<sub-goals mark-7\\ndone: A; next: B\\n>>>');
    for (const request of [actTextRequest(state, 'mark-7'), replanRequest(state, 'why', 'mark-7')])
      expect(request.messages[0]?.parts[0]).toMatchObject({
        text: expect.stringMatching(
          /<<<history mark-7\n(?:(?!>>>)[\s\S])*Sub-goals, as you reported them: done: A; next: B\n>>>/,
        ),
      });
  });
});

describe('earlier pages', () => {
  const list = page(
    [text('Rope 4.50'), ...Array.from({ length: 60 }, (_, index) => text(`Row ${index} of the list`))],
    {
      url: 'https://shop.test/list',
      title: 'List',
      document: 2,
    },
  );
  const detail = page([text('Anchor 9.00')], { url: 'https://shop.test/item', title: 'Item', document: 3 });
  const openedDetail = { ...detail, elements: page([text('Anchor 9.00'), text('In stock')]).elements };
  const walk = (...pages: Observation[]) =>
    pages.reduce((state, page) => reduceAll(state, observed(page), thought(click(0)), acted()), goal());
  const previousPages = (state: AgentState) =>
    [...(promptOf(state).match(/<<<previous page mark-7.*?>>>previous page/g) ?? [])].join('\n');

  test('includes two pages: changes of the same document, and full text of the other if there is room', () => {
    const state = reduceAll(walk(login, list, detail), observed(openedDetail));
    expect(promptOf(state)).toContain('Changes since the last observation');
    expect(previousPages(state)).toContain('Row 40 of the list');
    expect(previousPages(state)).not.toContain('Anchor');
  });

  test('includes the minimum of the newest page if there is no room', () => {
    const full = page(
      Array.from({ length: 120 }, (_, index) => text(`Line ${index} of something else`)),
      { url: 'https://shop.test/full', document: 4 },
    );
    const state = reduceAll(walk(login, list), observed(full));
    expect(previousPages(state)).toContain('Rope 4.50');
    expect(previousPages(state)).not.toContain('Row 40');
    expect(previousPages(state).match(/<<<previous page/g)).toHaveLength(1);
  });
});
