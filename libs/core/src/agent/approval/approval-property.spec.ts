import { isDeepStrictEqual } from 'node:util';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { tiers } from '@pilothouse/contract/model/tier-names';
import { aGoal, anElement, aPage, modelAnswered } from '@pilothouse/testing/agent-builders';
import { SeededRandom } from '@pilothouse/testing/agent-tasks/task-random';
import { reduce } from '../agent-reducer.ts';
import type { AgentCommand, AgentInput } from '../agent-protocol.ts';
import type { PlannedAction } from '../planned-action.ts';
import { initialAgentState, isEnded, type AgentState } from '../agent-state.ts';
import { nextCommand } from '../next-command.ts';

/*
 * No risky action without an approval of that very action: same action, same page. Random inputs drive the agent, also inputs that no command
 * asked for. Which actions are risky is decided here, by the names that the random pages use.
 */

const effectsByName: Readonly<Record<string, ApprovalEffect | null>> = {
  'Pay now': 'pay',
  Delete: 'delete',
  'Send message': 'send',
  Open: null,
  Next: null,
  Cancel: null,
  Close: null,
};
const names = ['Pay now', 'Delete', 'Send message', 'Open', 'Next', 'Cancel', 'Close'] as const;
const SHOP_URL = 'https://shop.test/orders';
const EXTERNAL_URL = 'https://other.test/';

interface Agent {
  readonly reduce: typeof reduce;
  readonly nextCommand: typeof nextCommand;
}

const chance = (random: SeededRandom, percent: number) => random.int(1, 100) <= percent;

function randomPage(random: SeededRandom): Observation {
  const buttons = Array.from({ length: random.int(1, 4) }, (_, index) =>
    anElement(index, { name: random.pick(names), ...(chance(random, 50) && { tags: ['closer' as const] }) }),
  );
  const fields = [anElement(8, { role: 'textbox', name: 'Password' }), anElement(9, { role: 'textbox', name: 'File' })];
  const bounds = { x: 500, y: 500, width: 400, height: 200 };
  return aPage([...buttons, ...fields], {
    url: random.pick([SHOP_URL, SHOP_URL, `${SHOP_URL}/1`, EXTERNAL_URL]),
    document: random.int(1, 3),
    opaqueRegions: chance(random, 30) ? [{ kind: 'canvas', name: '', bounds }] : [],
  });
}

function randomAction(random: SeededRandom): Action {
  const target = { elementIndex: random.int(0, 3) };
  return random.pick<() => Action>([
    () => ({ action: 'click', target }),
    () => ({ action: 'click', target }),
    () => ({ action: 'click', target }),
    () => ({ action: 'click', target: { point: { x: 700, y: 700 } } }),
    () => ({ action: 'fill', target: { elementIndex: 8 }, text: random.pick(['Robin', '{{inputs.password}}']) }),
    () => ({ action: 'upload', target: { elementIndex: 9 }, file: 'rope.pdf' }),
    () => ({ action: 'navigate', url: random.pick([SHOP_URL, EXTERNAL_URL]) }),
    () => ({ action: 'scroll', to: 'bottom' }),
  ])();
}

const claim = { answer: null, anchor: null, indicators: [] };

function randomTurn(random: SeededRandom): AgentInput {
  const actions = Array.from({ length: random.int(1, 3) }, (): PlannedAction => ({
    kind: 'act',
    action: randomAction(random),
  }));
  const last = random.pick<PlannedAction[]>([
    [],
    [],
    [],
    [{ kind: 'read' }],
    [{ kind: 'see' }],
    [{ kind: 'store', key: 'a', value: 'b' }],
    [{ kind: 'ask', question: 'Which?' }],
    [{ kind: 'done', claim }],
  ]);
  return { ...modelAnswered(...actions, ...last), ...(chance(random, 20) && { isLate: true }) } as AgentInput;
}

function randomActed(random: SeededRandom): AgentInput {
  const approvalRequired = { code: 'APPROVAL_REQUIRED', message: 'x' } as const;
  return random.pick<() => AgentInput>([
    () => ({ kind: 'acted', error: null }),
    () => ({ kind: 'acted', error: null }),
    () => ({ kind: 'acted', error: null }),
    () => ({ kind: 'acted', error: { code: 'TARGET_NOT_ACTIONABLE', message: 'x' } }),
    () => ({ kind: 'acted', error: approvalRequired, dialog: { question: 'Delete it?', text: null } }),
    () => ({ kind: 'acted', error: approvalRequired, origin: 'https://other.test' }),
  ])();
}

const verdictOf = (random: SeededRandom) =>
  random.pick([
    { result: 'not-met', detail: 'x' },
    { result: 'undecided', detail: 'x' },
  ] as const);

/** Usually the same page, sometimes another one. */
const nextPage = (random: SeededRandom, current: Observation | null) =>
  current && chance(random, 60) ? current : randomPage(random);

function replyTo(command: AgentCommand, state: AgentState, random: SeededRandom): AgentInput {
  const { current } = state.page;
  switch (command.kind) {
    case 'observe':
      return command.depth === 'anchors'
        ? { kind: 'located', anchors: { url: SHOP_URL, title: 'x' } }
        : { kind: 'observed', observation: nextPage(random, current) };
    case 'think':
      return randomTurn(random);
    case 'act':
      return randomActed(random);
    case 'askHuman': {
      const choice = random.pick(['continue', 'continue', 'continue', 'decline'] as const);
      return { kind: 'humanAnswered', choice, text: null, actor: 'Ada' };
    }
    case 'identifyCanvas': {
      const what = 'a sail';
      return { kind: 'canvasIdentified', target: random.pick([null, { what, kind: 'none' }, { what, kind: 'pay' }]) };
    }
    case 'describeScreenshot':
      return { kind: 'screenshotDescribed', description: 'x' };
    case 'replan':
      return { kind: 'replanned', replan: { decision: random.pick(['retry', 'replan', 'wait']), why: 'x', plan: '' } };
    case 'checkClaim':
    case 'verifyClaim':
      return { kind: 'claimChecked', verdict: verdictOf(random) };
    case 'verifyTurn':
      return { kind: 'turnVerified', verdict: verdictOf(random) };
    default:
      return { kind: 'modelFailed', reason: 'x', isUnreadable: true };
  }
}

const anyInput = (state: AgentState, random: SeededRandom): AgentInput =>
  random.pick<() => AgentInput>([
    () => ({ kind: 'observed', observation: randomPage(random) }),
    () => ({ kind: 'observed', observation: randomPage(random) }),
    () => ({ kind: 'observed', observation: nextPage(random, state.page.current) }),
    () => ({ kind: 'manualControlEnded', actor: 'Ada', actions: [] }),
    () => ({ kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' }),
    () => randomTurn(random),
    () => randomActed(random),
    () => ({ kind: 'canvasIdentified', target: { what: 'a sail', kind: 'none' } }),
    () => ({ kind: 'visionUnavailable', reason: 'x' }),
    () => ({ kind: 'modelFailed', reason: 'x', isUnreadable: true }),
  ])();

/** Effect of an action that needs an approval; null: none. */
function oracle(action: Action, page: Observation, trusted: ReadonlySet<string>): ApprovalEffect | 'unknown' | null {
  if (action.action === 'navigate') return action.url === EXTERNAL_URL ? 'otherSite' : null;
  if (['scroll', 'wait'].includes(action.action)) return null;
  if (page.url === EXTERNAL_URL) return 'otherSite';
  if (action.action === 'upload') return 'upload';
  if (action.action === 'fill')
    return action.text.includes('{{') && !trusted.has(new URL(page.url).origin) ? 'credentials' : null;
  if (action.action !== 'click') return null;
  const target = action.target as { elementIndex?: number; point?: object };
  if (target.point) return 'unknown';
  const element = page.elements.find(({ index }) => index === target.elementIndex);
  return element ? (effectsByName[element.name] ?? null) : null;
}

interface Grant {
  readonly action: Action;
  readonly page: object;
}

/** Identifies a page for an approval. */
const pageKey = ({ url, document, elements }: Observation) => ({
  url,
  document,
  elements: elements.map(({ index, role, name }: ElementView) => [index, role, name]),
});

/** Approvals of people, recorded independently of the agent state. */
class ApprovalBook {
  private grants: Grant[] = [];
  private identified: Grant | null = null;
  /** Effect of the last approved action. The page may ask to confirm it once. */
  private confirmable: { effect: ApprovalEffect | 'unknown' | null; page: Observation } | null = null;
  private readonly trusted = new Set(['https://shop.test']);

  /** @returns null if the action may be done, otherwise a report */
  objection(command: Extract<AgentCommand, { kind: 'act' }>, page: Observation): object | null {
    const { action, approval } = command;
    const effect = oracle(action, page, this.trusted);
    const grant: Grant = { action, page: pageKey(page) };
    if (effect === null || this.grants.some((earlierGrant) => isDeepStrictEqual(earlierGrant, grant))) return null;
    if (effect === 'unknown' && isDeepStrictEqual(this.identified, grant)) return null;
    const isConfirmation =
      approval?.source === 'confirmation' &&
      this.confirmable?.effect === effect &&
      new URL(this.confirmable.page.url).origin === new URL(page.url).origin;
    if (isConfirmation) this.confirmable = null;
    return isConfirmation ? null : { effect, action, url: page.url };
  }

  record(state: AgentState, command: AgentCommand, input: AgentInput): void {
    const { phase, page } = state;
    if (input.kind === 'manualControlEnded' || (input.kind === 'modelAnswered' && command.kind === 'think'))
      this.clear();
    if (input.kind === 'humanAnswered' && input.choice === 'continue' && phase.kind === 'awaitingApproval')
      this.grant(phase);
    if (input.kind === 'canvasIdentified' && phase.kind === 'identifyingCanvas' && input.target?.kind === 'none')
      this.identified = this.grantOf(phase.turn.actions[0], page.current);
    if (input.kind === 'acted' && command.kind === 'act' && input.error?.code !== 'APPROVAL_REQUIRED' && page.current)
      this.use(command.action, page.current);
  }

  private grant(phase: Extract<AgentState['phase'], { kind: 'awaitingApproval' }>): void {
    const grant = this.grantOf(phase.turn.actions[0], phase.page);
    if (!grant) return;
    this.grants.push(grant);
    this.confirmable = { effect: phase.request.kind, page: phase.page };
    if (phase.request.origin) this.trusted.add(phase.request.origin);
  }

  private grantOf(plannedAction: PlannedAction | undefined, page: Observation | null): Grant | null {
    return plannedAction?.kind === 'act' && page ? { action: plannedAction.action, page: pageKey(page) } : null;
  }

  /** One approval is for one action. */
  private use(action: Action, page: Observation): void {
    const grant: Grant = { action, page: pageKey(page) };
    const index = this.grants.findIndex((earlierGrant) => isDeepStrictEqual(earlierGrant, grant));
    if (index >= 0) this.grants.splice(index, 1);
    if (isDeepStrictEqual(this.identified, grant)) this.identified = null;
  }

  private clear(): void {
    this.grants = [];
    this.identified = null;
  }
}

const MAX_INPUTS = 60;

/** Runs one random goal. @returns the first action without an approval, or another violation; null: none */
function runSeed(seed: number, agent: Agent): object | null {
  const random = new SeededRandom(seed);
  const limits = { autoApprove: new Set<ApprovalEffect>(), hosts: [], secrets: ['password'] };
  const goal = aGoal({ text: 'Send rope.pdf with {{inputs.password}}', limits, maxTurns: 12 });
  let state = initialAgentState(goal, null, SHOP_URL);
  const book = new ApprovalBook();
  for (let count = 0; count < MAX_INPUTS && !isEnded(state); count += 1) {
    const command = agent.nextCommand(state);
    if (command.kind === 'fail' || command.kind === 'done') break;
    const page = state.page.current;
    const objection = command.kind === 'act' && page ? book.objection(command, page) : null;
    if (objection) return { seed, count, ...objection };
    const input = chance(random, 20) ? anyInput(state, random) : replyTo(command, state, random);
    book.record(state, command, input);
    const next = agent.reduce(state, input);
    const isTierLower = tiers.indexOf(next.escalation.highest) < tiers.indexOf(state.escalation.highest);
    if (next.counters.turns > goal.maxTurns || isTierLower)
      return { seed, count, turns: next.counters.turns, isTierLower };
    state = next;
  }
  return null;
}

const SEEDS = 1_000;

function firstViolation(agent: Agent): object | null {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const violation = runSeed(seed, agent);
    if (violation) return violation;
  }
  return null;
}

const correct: Agent = { reduce, nextCommand };

/** The state with another first action of the turn. */
function withNextAction(
  state: AgentState,
  change: (plannedAction: Extract<PlannedAction, { kind: 'act' }>) => PlannedAction,
) {
  const { phase } = state;
  if (!('turn' in phase) || !phase.turn) return state;
  const [next, ...rest] = phase.turn.actions;
  if (next?.kind !== 'act') return state;
  return { ...state, phase: { ...phase, turn: { ...phase.turn, actions: [change(next), ...rest] } } } as AgentState;
}

const approvalOfNext = ({ phase }: AgentState) => {
  const next = 'turn' in phase ? phase.turn?.actions[0] : undefined;
  return next?.kind === 'act' ? next.approval : undefined;
};

const actWithoutCheck: typeof nextCommand = (state) => {
  const { phase } = state;
  const next = phase.kind === 'acting' ? phase.turn.actions[0] : undefined;
  if (next?.kind !== 'act') return nextCommand(state);
  const { action, approval = null } = next;
  return { kind: 'act', action, number: 1, title: '', approval, description: {}, isFirstOfTurn: true };
};

/** A reducer that asks no person. */
const withoutGate: typeof reduce = (state, input) => {
  const next = reduce(state, input);
  const { phase } = next;
  return phase.kind === 'awaitingApproval' ? { ...next, phase: { kind: 'acting', turn: phase.turn } } : next;
};

test('no risky action is done without an approval of this action on this page', () => {
  expect(firstViolation(correct)).toBeNull();
});

test('the check of the next command is enough without the gate of the reducer', () => {
  expect(firstViolation({ reduce: withoutGate, nextCommand })).toBeNull();
});

test.each<[string, Agent]>([
  ['no check in the next command', { reduce, nextCommand: actWithoutCheck }],
  [
    'an approval that outlives an observation',
    {
      nextCommand,
      reduce: (state, input) => {
        const next = reduce(state, input);
        const page = next.page.current;
        if (input.kind !== 'observed' || !page) return next;
        return withNextAction(next, (plannedAction) =>
          plannedAction.approval ? { ...plannedAction, approval: { ...plannedAction.approval, page } } : plannedAction,
        );
      },
    },
  ],
  [
    'an approval that is used again for the second action of a turn',
    {
      nextCommand,
      reduce: (state, input) => {
        const approval = approvalOfNext(state);
        const next = reduce(state, input);
        if (input.kind !== 'acted' || !approval) return next;
        return withNextAction(next, (plannedAction) => ({
          ...plannedAction,
          approval: { ...approval, action: plannedAction.action },
        }));
      },
    },
  ],
  [
    'an approval that outlives manual control',
    {
      nextCommand,
      reduce: (state, input) => {
        const next = reduce(state, input);
        return input.kind === 'manualControlEnded' && approvalOfNext(state) ? { ...next, phase: state.phase } : next;
      },
    },
  ],
])('the property finds %s', (_, mutant) => {
  expect(firstViolation(mutant)).not.toBeNull();
});

test('ends a goal when no model and no person answers', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = new SeededRandom(seed);
    let state = initialAgentState(aGoal(), null, SHOP_URL);
    for (let count = 0; count < 30; count += 1) state = reduce(state, replyTo(nextCommand(state), state, random));
    for (let count = 0; count < MAX_INPUTS && !isEnded(state); count += 1) {
      const command = nextCommand(state);
      if (command.kind === 'fail') break;
      const human: AgentInput = { kind: 'humanAnswered', choice: 'fail', text: null, actor: 'Ada' };
      const modelFailure: AgentInput = { kind: 'modelFailed', reason: 'x', isUnreadable: true };
      const abort: AgentInput = { kind: 'replanned', replan: { decision: 'abort', why: 'x', plan: '' } };
      const replies = { think: modelFailure, askHuman: human, replan: abort } as Partial<Record<string, AgentInput>>;
      state = reduce(state, replies[command.kind] ?? replyTo(command, state, random));
    }
    expect([seed, isEnded(state) || nextCommand(state).kind === 'fail']).toEqual([seed, true]);
  }
});
