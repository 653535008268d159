import type { EventData, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { SavingMechanism } from '@pilothouse/contract/run/savings.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { goalTexts } from '../agent/healing/workflow-repair.ts';
import { HEAL_PROMPT, HEAL_VISION_PROMPT } from '../agent/prompts/heal.prompt.ts';
import { uriOriginOf } from '../origin/uri-origin.ts';
import { intentKey } from './goal-intent.ts';

/** Tokens, US dollars and seconds. */
export interface RunCost {
  readonly tokens: number;
  /** null: the price is not known. */
  readonly usd: number | null;
  readonly seconds: number;
}

/** A completed run, as far as savings need it. */
export interface MeasuredRun {
  readonly surface: string;
  /** null: it cannot be read. */
  readonly definition: WorkflowDefinition | null;
  readonly cost: RunCost;
  /** Mean cost of the runs from which its workflow was compiled; null: it was not compiled. */
  readonly baseline: RunCost | null;
  /** The run verified a proposal. It replaced no other run. */
  readonly isVerification: boolean;
}

/** Amounts that a mechanism saved in a run. */
export interface Saving extends RunCost {
  readonly mechanism: SavingMechanism;
  /** Cached turns, compiled runs or healed steps. */
  readonly count: number;
}

/** Goal of a run. */
export interface MeasuredGoal {
  readonly intent: string;
  readonly site: string;
  readonly goal: string;
  readonly actionCount: number;
}

export interface RunMeasurement {
  readonly savings: readonly Saving[];
  /** null: the run has no goal. */
  readonly goal: MeasuredGoal | null;
}

/** Types of the events that a measurement needs. */
export const measuredEventTypes = [
  'agent.turn',
  'agent.note',
  'agent.action_started',
  'model.called',
  'step.completed',
  'step.healed',
] as const;

type MeasuredEvent = Pick<RunEvent, 'type' | 'data'>;

/** Measures a completed run. @param events those of `measuredEventTypes`, in order */
export function measureRun(run: MeasuredRun, events: readonly MeasuredEvent[]): RunMeasurement {
  const goals = run.definition === null ? [] : goalTexts(run.definition);
  const goal = goals.length === 0 ? null : measureGoal(run.surface, goals, events);
  if (run.isVerification) return { savings: [], goal: null };
  const cached = savedByCache(events);
  const savings = [cached, savedByCompile(run, cached), savedByHeal(events)].filter((saving) => saving !== null);
  return { savings, goal };
}

function measureGoal(surface: string, goals: readonly string[], events: readonly MeasuredEvent[]): MeasuredGoal {
  const site = events.map(siteOfTurn).find((name) => name !== null) ?? '';
  const actionCount = events.filter(({ type }) => type === 'agent.action_started').length;
  return { intent: intentKey({ surface, site, goals }), site, goal: goals.join('\n'), actionCount };
}

/** Site or application that an agent observed; null: another event, or a blank page. */
function siteOfTurn(event: MeasuredEvent): string | null {
  const url = dataOf('agent.turn', event)?.page?.url;
  const uriOrigin = url === undefined ? null : uriOriginOf(url);
  return uriOrigin === null || uriOrigin.id === null ? null : uriOrigin.name;
}

/** Notes after which a cached turn did not replace a model call. */
const mistakes: ReadonlySet<string> = new Set(['problem', 'repeated_turn', 'unverified', 'human_asked']);

/** Cost of the model calls that the cached turns replaced. Turns that turned out wrong do not count. */
function savedByCache(events: readonly MeasuredEvent[]): Saving | null {
  const turns: { key: string; cost: RunCost }[] = [];
  for (const event of events) {
    const turn = dataOf('agent.turn', event);
    if (turn?.source === 'cache' && turn.replacedCall) {
      const { tokens, usd, durationMs } = turn.replacedCall;
      turns.push({ key: turnKey(turn), cost: { tokens, usd, seconds: durationMs / 1000 } });
    }
    const note = dataOf('agent.note', event);
    const last = turns.at(-1);
    if (note && last && mistakes.has(note.kind) && turnKey(note) === last.key) turns.pop();
  }
  if (turns.length === 0) return null;
  return { mechanism: 'action_cache', count: turns.length, ...sumOf(turns.map(({ cost }) => cost)) };
}

const turnKey = ({ step, path, branch, turn }: Pick<EventData<'agent.turn'>, 'step' | 'path' | 'branch' | 'turn'>) =>
  JSON.stringify([step, path, branch, turn]);

/** Mean of the goal runs minus the cost of this run. What the cache saved in it does not count twice. */
function savedByCompile({ cost, baseline }: MeasuredRun, cached: Saving | null): Saving | null {
  if (!baseline) return null;
  const usedUsd = cached === null ? cost.usd : addUsd(cost.usd, cached.usd);
  return {
    mechanism: 'compile',
    count: 1,
    tokens: Math.round(baseline.tokens) - cost.tokens - (cached?.tokens ?? 0),
    usd: baseline.usd === null || usedUsd === null ? null : baseline.usd - usedUsd,
    seconds: baseline.seconds - cost.seconds - (cached?.seconds ?? 0),
  };
}

const healPrompts: ReadonlySet<string> = new Set([HEAL_PROMPT.name, HEAL_VISION_PROMPT.name]);

/** Cost of the run before its first healed step, minus the model calls of repairs. Repairs by a person do not count. */
function savedByHeal(events: readonly MeasuredEvent[]): Saving | null {
  const healed = events.flatMap((event, index) => {
    const data = dataOf('step.healed', event);
    return data && data.method !== 'human' ? [index] : [];
  });
  const [first] = healed;
  if (first === undefined) return null;
  const calls = (list: readonly MeasuredEvent[], isRepair: boolean) =>
    list.flatMap((event) => {
      const call = dataOf('model.called', event);
      if (!call || healPrompts.has(call.prompt.name) !== isRepair) return [];
      const { inputTokens, outputTokens, usd, durationMs } = call;
      return [{ tokens: inputTokens + outputTokens, usd, seconds: durationMs / 1000 }];
    });
  const initialEvents = events.slice(0, first);
  const used = sumOf(calls(initialEvents, false));
  const repair = sumOf(calls(events, true));
  const seconds = initialEvents.reduce(
    (sum, event) => sum + (dataOf('step.completed', event)?.durationMs ?? 0) / 1000,
    0,
  );
  return {
    mechanism: 'heal',
    count: healed.length,
    tokens: used.tokens - repair.tokens,
    usd: used.usd === null || repair.usd === null ? null : used.usd - repair.usd,
    seconds: seconds - repair.seconds,
  };
}

const sumOf = (costs: readonly RunCost[]): RunCost =>
  costs.reduce(
    (sum, cost) => ({
      tokens: sum.tokens + cost.tokens,
      usd: addUsd(sum.usd, cost.usd),
      seconds: sum.seconds + cost.seconds,
    }),
    { tokens: 0, usd: 0, seconds: 0 },
  );

const addUsd = (first: number | null, second: number | null): number | null =>
  first === null || second === null ? null : first + second;

const dataOf = <Type extends (typeof measuredEventTypes)[number]>(type: Type, event: MeasuredEvent) =>
  event.type === type ? (event.data as EventData<Type>) : undefined;
