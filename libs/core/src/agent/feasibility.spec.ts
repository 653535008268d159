import type { Action } from '@pilothouse/contract/actions/action-sets';
import {
  elementSchema,
  observationSchema,
  type ElementView,
  type Observation,
} from '@pilothouse/contract/observation/observation.schema';
import { parseHostRules } from '../egress/host-rules.ts';
import type { AgentInput } from './agent-protocol.ts';
import { reduce } from './agent-reducer.ts';
import { initialAgentState, type AgentState } from './agent-state.ts';
import { nextCommand } from './next-command.ts';

/* Infeasible turns and overlays, detected from the element list. */

const element = (index: number, overrides: Partial<ElementView> = {}): ElementView =>
  elementSchema.parse({
    ...{ index, interactive: true, role: 'button', name: `B${index}`, state: {}, tags: [] },
    bounds: { x: 0, y: index * 20, width: 100, height: 20 },
    ...overrides,
  });
const page = (elements: ElementView[], overrides: Partial<Observation> = {}): Observation =>
  observationSchema.parse({
    ...{
      url: 'https://shop.test/',
      title: 'Shop',
      document: 1,
      loading: false,
      focused: null,
      opaqueRegions: [],
      elements,
    },
    viewport: { width: 1000, height: 800 },
    scroll: { above: 0, below: 0 },
    ...overrides,
  });
const initialState = (text = 'Find the rope', hosts: string[] = []): AgentState =>
  initialAgentState({
    ...{
      text,
      outputSchema: null,
      texts: [],
      condition: null,
      maxTurns: 30,
      siteNotes: [],
      appNotes: [],
      surface: 'browser' as const,
    },
    limits: {
      autoApprove: new Set(['upload'] as const),
      hosts: hosts.length > 0 ? [parseHostRules(hosts)] : [],
      secrets: ['password', 'pin'],
    },
  });
const observed = (observation: Observation): AgentInput => ({ kind: 'observed', observation });
const thought = (actions: Action[], isLate = false): AgentInput => ({
  kind: 'modelAnswered',
  isLate,
  answer: { thought: '', actions: actions.map((action) => ({ kind: 'act' as const, action })), problems: [] },
});
const acted: AgentInput = { kind: 'acted', error: null };
const reduceAll = (state: AgentState, ...inputs: AgentInput[]) => inputs.reduce(reduce, state);
const click = (index: number): Action => ({ action: 'click', target: { elementIndex: index } });
const type = (index: number, text: string): Action => ({ action: 'fill', target: { elementIndex: index }, text });
const notesOf = ({ history: { notes } }: AgentState) => notes.map(({ kind, note }) => `${kind}: ${note}`);
const field = element(2, { role: 'textbox', name: 'Note' });
const shop = page([element(0), element(1), field]);

describe('infeasible turn', () => {
  test.each<[string, Observation, Action[], RegExp]>([
    ['unknown element index', shop, [type(2, 'x'), click(9)], /Element 9 is not in the current list/],
    [
      'unknown drop target',
      shop,
      [{ action: 'drag', target: { elementIndex: 0 }, to: { elementIndex: 9 } }],
      /Element 9 is not in the current list/,
    ],
    [
      'disabled element',
      page([element(0, { state: { disabled: true } })]),
      [click(0)],
      /\[0\] button "B0" is disabled: complete what enables it/,
    ],
    [
      'read-only field',
      page([element(2, { role: 'textbox', state: { readonly: true } })]),
      [type(2, 'x')],
      /is readonly/,
    ],
  ])('is rejected before its first action: %s', (_, on, actions, reason) => {
    const state = reduceAll(initialState(), observed(on), thought(actions));
    expect(nextCommand(state)).toMatchObject({ kind: 'observe' });
    expect(notesOf(state)).toEqual([expect.stringMatching(reason)]);
    expect(state).toMatchObject({ counters: { actions: 0, turns: 1 }, escalation: { failures: 1 } });
  });

  test.each<[string, Observation, Action[]]>([
    [
      'element that an earlier action may enable',
      page([element(0, { state: { disabled: true } }), field]),
      [type(2, 'x'), click(0)],
    ],
    [
      'disabled element on a loading page',
      page([element(0, { state: { disabled: true } })], { loading: true }),
      [click(0)],
    ],
    [
      'hover over a disabled element',
      page([element(0, { state: { disabled: true } })]),
      [{ action: 'hover', target: { elementIndex: 0 } }],
    ],
    ['URL on the site of the run', shop, [{ action: 'navigate', url: '/cart' }]],
  ])('is not assumed: %s', (_, on, actions) => {
    expect(
      nextCommand(reduceAll(initialState('Find the rope', ['shop.test']), observed(on), thought(actions))),
    ).toMatchObject({
      kind: 'act',
      number: 1,
    });
  });

  test.each<[string, Action, string]>([
    ['disallowed host', { action: 'navigate', url: 'https://other.test/' }, 'instead of other.test'],
    [
      'file that the goal does not name',
      { action: 'upload', target: { elementIndex: 2 }, file: 'secret.pdf' },
      'only files that the goal names',
    ],
    ['secret that the goal does not name', type(2, '{{inputs.pin}}'), 'type only secrets'],
    ['secret that the run does not have', type(2, '{{credential.otp}}'), 'type only secrets'],
  ])('%s: is replanned twice without a model, then a person is asked', (_, action, plan) => {
    let state = reduceAll(initialState('Take {{inputs.password}} and rope.pdf', ['shop.test']), observed(shop));
    for (const plans of [1, 2]) {
      state = reduceAll(state, thought([action]), observed(shop));
      expect(nextCommand(state)).toMatchObject({ kind: 'think', tier: 'text' });
      expect(state).toMatchObject({
        escalation: { replans: plans, highest: 'text' },
        plan: { text: expect.stringContaining(plan) },
        counters: { actions: 0 },
      });
    }
    expect(nextCommand(reduceAll(state, thought([action])))).toMatchObject({
      kind: 'askHuman',
      question: { kind: 'text' },
    });
  });

  test('allows hosts that need a name lookup for a network rule', () => {
    const state = reduceAll(initialState('Look', ['10.0.0.0/8', 'shop.test']), observed(shop));
    const afterNavigation = reduceAll(state, thought([{ action: 'navigate', url: 'https://inside.test/' }]));
    expect(nextCommand(afterNavigation)).toMatchObject({
      kind: 'askHuman',
      question: { request: { kind: 'otherSite' } },
    });
  });

  test('allows files and secrets that the goal or a person names', () => {
    const state = reduceAll(initialState('Take {{inputs.password}} and rope.pdf'), observed(shop));
    expect(nextCommand(reduceAll(state, thought([type(2, '{{inputs.password}}')])))).toMatchObject({ kind: 'act' });
    // An invalid placeholder is plain text.
    expect(nextCommand(reduceAll(state, thought([type(2, 'Write {{inputs.note}}')])))).toMatchObject({ kind: 'act' });
    const file: Action = { action: 'upload', target: { elementIndex: 2 }, file: 'rope.pdf' };
    expect(nextCommand(reduceAll(state, thought([file])))).toMatchObject({ kind: 'act' });
  });
});

describe('overlay', () => {
  const closer = element(7, { name: '×', tags: ['closer'] });
  const banner = (...overlay: ElementView[]) => page([element(5, { name: 'Win a boat' }), ...overlay]);
  const [first, second] = [click(0), click(1)];
  const closing = { kind: 'act', action: click(7) };

  /** A turn of two clicks. An overlay appears after the first. */
  const covered = (on: Observation) =>
    reduceAll(initialState(), observed(shop), thought([first, second]), acted, observed(on));

  test('is closed by rule, and the turn continues', () => {
    const state = covered(banner(closer));
    expect(nextCommand(state)).toMatchObject(closing);
    expect(notesOf(state)).toEqual(['page_changed: An overlay covers the page. Closing it with button "×"']);
    const on = reduceAll(state, acted, observed(shop));
    expect(nextCommand(on)).toMatchObject({ kind: 'act', action: second, number: 3 });
    expect(nextCommand(reduceAll(on, acted, observed(shop)))).toMatchObject({ kind: 'think' });
  });

  test('is left to the model if it stays, or if closing it changes the page', () => {
    const afterClose = reduceAll(covered(banner(closer)), acted, observed(banner(closer)));
    expect(nextCommand(afterClose)).toMatchObject({ kind: 'think' });
    expect(notesOf(afterClose).at(-1)).toContain('1 remaining action was skipped: the next target is no longer listed');
    const two = covered(banner(closer, element(8, { name: 'Close', tags: ['closer'] })));
    expect(
      nextCommand(reduceAll(two, acted, observed(banner(element(8, { name: 'Close', tags: ['closer'] }))))),
    ).toMatchObject({
      action: click(8),
    });
    const elsewhere = reduceAll(covered(banner(closer)), acted, observed(page(shop.elements, { document: 2 })));
    expect(nextCommand(elsewhere)).toMatchObject({ kind: 'think' });
  });

  test.each<[string, ElementView[]]>([
    ['agrees to something', [element(7, { name: 'Accept all', tags: ['closer'] })]],
    ['says what cannot be taken back', [element(7, { name: 'Close account', tags: ['closer'] })]],
    ['leads somewhere', [element(7, { ...closer, role: 'link', linkUrl: 'https://shop.test/boats' })]],
    ['sends a form', [element(7, { ...closer, linkUrl: 'https://shop.test/' })]],
    ['is of another site', [element(7, { ...closer, frame: 'https://ads.test/' })]],
    ['is disabled', [element(7, { ...closer, state: { disabled: true } })]],
    ['was there before', []],
  ])('is not closed by what %s', (title, overlay) => {
    const on = title === 'was there before' ? page([...shop.elements, closer]) : shop;
    const state = reduceAll(
      initialState(),
      observed(on),
      thought([first, second]),
      acted,
      observed(banner(...(overlay[0] ? overlay : [closer]))),
    );
    expect(nextCommand(state)).toMatchObject({ kind: 'think' });
    expect(notesOf(state)).toEqual([expect.stringContaining('the list changed')]);
  });

  test('is closed before a blocked action is repeated', () => {
    const error = { code: 'TARGET_NOT_ACTIONABLE' as const, message: 'It is covered by div' };
    const state = reduceAll(
      initialState(),
      observed(shop),
      thought([first, second]),
      { kind: 'acted', error },
      observed(banner(closer)),
    );
    expect(nextCommand(state)).toMatchObject(closing);
    expect(nextCommand(reduceAll(state, acted, observed(shop)))).toMatchObject({ kind: 'act', action: first });
  });

  test('that appears during a model call is closed before the turn', () => {
    const afterLateAnswer = reduceAll(initialState(), observed(shop), thought([first, second], true));
    expect(nextCommand(afterLateAnswer)).toMatchObject({ kind: 'observe' });
    expect(nextCommand(reduceAll(afterLateAnswer, observed(banner(closer))))).toMatchObject(closing);
    expect(nextCommand(reduceAll(afterLateAnswer, observed(page([...shop.elements, element(6)]))))).toMatchObject({
      kind: 'act',
      action: first,
    });
    const afterRemoval = reduceAll(afterLateAnswer, observed(page([element(1)])));
    expect(nextCommand(afterRemoval)).toMatchObject({ kind: 'think' });
    expect(notesOf(afterRemoval)).toEqual([expect.stringContaining('2 remaining actions were skipped')]);
  });

  test('that the model ignores is closed first', () => {
    const overlay = reduceAll(initialState(), observed(shop), thought([first]), acted, observed(banner(closer)));
    expect(nextCommand(overlay)).toMatchObject({ kind: 'think' });
    const state = reduceAll(overlay, thought([second]));
    expect(nextCommand(state)).toMatchObject(closing);
  });
});
