import {
  type Action,
  type EventData,
  type EventType,
  type Json,
  type Locator,
  type RunEvent,
  type WorkflowDefinition,
  eventData,
  toLocatorChain,
} from '@pilothouse/contract';
import { linearStepPath } from '../../interpreter/step-path.ts';
import { triggeringActions } from '../approval/action-effects.ts';
import { effectOfName } from '../approval/risky-words.ts';
import { locatorNames } from '../healing/lost-element.ts';
import type { PageLocation } from './arrival-expectation.ts';
import { MASK } from '../../secret/secret-masker.ts';
import { isTextEntry } from '../page-queries.ts';

/** Action of an agent, or of a person with manual control, collected from events. */
export interface ActionRecord {
  /** Number of the action in the step, from 1. A manual action has the number of the agent action before it; 0: none. */
  readonly sequence: number;
  /** Person who did it; null: the agent. */
  readonly hand: string | null;
  readonly move: Action;
  /** Title for people. */
  readonly title: string;
  /** Approval or answer of a person before the action; null: no question was asked. */
  readonly approval: string | null;
  /** Result; null: unknown, because the worker was lost. */
  readonly done:
    | (Pick<
        EventData<'agent.action_completed'>,
        'error' | 'pageBefore' | 'locators' | 'endLocators' | 'rows' | 'effect'
      > & {
        /** Page after the action; left out: the next action has it. */
        readonly after?: PageLocation | null;
        /** Part of the expected result that the action made true; left out: unknown. */
        readonly held?: EventData<'agent.note'>['newlyMet'];
      })
    | null;
}

/** Record of a step: all actions of a goal, or the manual actions before any other step. */
export interface RecordedGoal {
  /** Actions in order, each number once. If the numbers restart, earlier actions are dropped. */
  readonly deeds: readonly ActionRecord[];
  /** End of the step; null: not reached, or not ended. */
  readonly end:
    { readonly value: Json; readonly page: EventData<'step.completed'>['page'] } | 'skipped' | 'failed' | null;
  /** Locators of the parts of the answer, by JSON pointer. */
  readonly reads: ReadonlyMap<string, readonly Locator[]>;
  /** Epochs of the attempts that contributed. */
  readonly epochs: ReadonlySet<number>;
  /** True if an answer of a person cannot be assigned to an action. */
  readonly hasLostApprovals: boolean;
  /** Text questions that a person answered after the last action. */
  readonly asked: readonly string[];
}

type Writing = { -readonly [Field in keyof RecordedGoal]: RecordedGoal[Field] };

const begin = (): Writing => ({
  deeds: [],
  end: null,
  reads: new Map(),
  epochs: new Set(),
  hasLostApprovals: false,
  asked: [],
});

/** Collects records of steps by `path`. Events must be in order. Steps without a goal have only their end. */
export function collectRecordedGoals(events: readonly RunEvent[]): ReadonlyMap<string, RecordedGoal> {
  const records = new Map<string, Writing>();
  /** Last known page of the run. */
  let where: PageLocation | null = null;
  const of = (data: { step: number; path?: string | undefined }): Writing => {
    const at = data.path ?? linearStepPath(data.step);
    const record = records.get(at) ?? begin();
    records.set(at, record);
    return record;
  };
  /** Epochs whose events contain approvals. */
  const approvals = new Set(
    events.filter(({ type, data }) => type === 'agent.action_started' && 'approval' in data).map(({ epoch }) => epoch),
  );
  for (const event of events) {
    // Skips branches, because they use other pages than the run.
    if (event.data['branch'] !== undefined) continue;
    const acting = read('agent.action_started', event);
    if (acting) beginDeed(of(acting), acting, event.epoch);
    const acted = read('agent.action_completed', event);
    if (acted) endDeed(of(acted), acted);
    const answered = read('agent.answer_sources', event);
    if (answered) of(answered).reads = new Map(answered.sources.map(({ pointer, locators }) => [pointer, locators]));
    const noted = read('agent.note', event);
    if (noted?.kind === 'answer') of(noted).asked = [...of(noted).asked, noted.question ?? noted.note];
    if (noted?.kind === 'approval_decision') of(noted).hasLostApprovals ||= !approvals.has(event.epoch);
    if (noted?.kind === 'verified' && noted.newlyMet) hold(of(noted), noted.newlyMet);
    const drove = read('control.action', event);
    if (drove) handDeed(of(drove), drove, where);
    where = (drove ?? acted ?? read('step.completed', event))?.page ?? where;
    const ended = read('step.completed', event);
    if (ended) of(ended).end = { value: ended.value ?? null, page: ended.page };
    const skipped = read('step.skipped', event);
    if (skipped) of(skipped).end = 'skipped';
    const failed = read('step.failed', event);
    if (failed) of(failed).end = 'failed';
  }
  return records;
}

function beginDeed(record: Writing, acting: EventData<'agent.action_started'>, epoch: number): void {
  const { sequence: n, action: move, title, approval = null } = acting;
  const asked = [...record.asked, ...(approval === null ? [] : [`Allow it to ${approval}`])];
  const deed = {
    sequence: n,
    hand: null,
    move,
    title,
    approval: asked.length === 0 ? null : asked.join('; '),
    done: null,
  };
  record.deeds = [...record.deeds.filter((one) => one.sequence < n), deed];
  record.asked = [];
  record.epochs = new Set([...record.epochs, epoch]);
}

function endDeed(record: Writing, done: EventData<'agent.action_completed'>): void {
  record.deeds = record.deeds.map((deed) =>
    deed.sequence === done.sequence && deed.hand === null ? { ...deed, done } : deed,
  );
}

/** Stores the met expectation of a turn in its last action. */
function hold(record: Writing, held: NonNullable<EventData<'agent.note'>['newlyMet']>): void {
  const last = record.deeds.at(-1);
  if (last?.done && last.hand === null)
    record.deeds = [...record.deeds.slice(0, -1), { ...last, done: { ...last.done, held } }];
}

/** Converts a manual action. @param before page before the action */
function handDeed(
  record: Writing,
  { operator: by, action: move, title, page }: EventData<'control.action'>,
  before: PageLocation | null,
): void {
  const target = 'target' in move && move.target !== undefined ? toLocatorChain(move.target) : [];
  const names = target.flatMap(locatorNames);
  const guard = triggeringActions.has(move.action)
    ? (names.map(effectOfName).find((kind) => kind !== null) ?? null)
    : null;
  const pageBefore = before && { url: before.url, title: before.title, height: 0 };
  const done = { error: null, pageBefore, locators: [], effect: guard, after: page };
  record.deeds = [
    ...record.deeds,
    { sequence: record.deeds.at(-1)?.sequence ?? 0, hand: by, move, title, approval: null, done },
  ];
}

/** Data of an event of this type; undefined: another type. */
function read<Type extends EventType>(type: Type, event: RunEvent): EventData<Type> | undefined {
  if (event.type !== type) return undefined;
  const parsed = eventData[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : undefined;
}

/** Maximum characters of an input name that is derived from the name of a field. */
const LONGEST = 40;

/** Inputs of a run. */
interface Given {
  readonly definition: Pick<WorkflowDefinition, 'inputs'>;
  /** Names of the secret inputs. */
  readonly secrets: readonly string[];
}

/**
 * Replaces secrets that a person typed with inputs named after their fields, because typed secrets are not stored.
 * @returns the records with templates, and the names of new inputs
 */
export function typedSecretsToInputs(
  records: ReadonlyMap<string, RecordedGoal>,
  { definition, secrets }: Given,
): { records: ReadonlyMap<string, RecordedGoal>; inputs: readonly string[] } {
  const made = new Map<string, string>();
  const taken = new Set(Object.keys(definition.inputs ?? {}));
  /** Input for the secret of a field. The same field has the same input. */
  const inputOf = (field: string, called: string): string => {
    const known = made.get(field);
    if (known !== undefined) return known;
    const base = nameOf(called);
    let name = base;
    // Assumes that a secret input with the name of the field was typed.
    for (let n = 2; (taken.has(name) && !secrets.includes(name)) || [...made.values()].includes(name); n += 1)
      name = `${base}${n}`;
    made.set(field, name);
    return name;
  };
  const told = [...records].map(([at, record]): [string, RecordedGoal] => {
    const deeds = record.deeds.flatMap((deed, index) => {
      const field = secretField(deed);
      if (field === null) return deed;
      // Several texts typed into the same field are one secret.
      return secretField(record.deeds[index - 1]) === field ? [] : typing(deed, inputOf(field, calledBy(deed)));
    });
    return [at, { ...record, deeds }];
  });
  const inputs = [...new Set(made.values())].filter((name) => !taken.has(name));
  return { records: new Map(told), inputs };
}

/** Identifies the field of a secret; null: no secret was typed manually. */
const secretField = (deed: ActionRecord | undefined): string | null =>
  deed && deed.hand !== null && isTextEntry(deed.move) && deed.move.text === MASK
    ? JSON.stringify(deed.move.target)
    : null;

const calledBy = ({ move }: ActionRecord): string =>
  isTextEntry(move) ? (toLocatorChain(move.target ?? []).flatMap(locatorNames)[0] ?? 'secret') : 'secret';

const typing = (deed: ActionRecord, input: string): ActionRecord =>
  isTextEntry(deed.move) ? { ...deed, move: { ...deed.move, text: `{{inputs.${input}}}` } } : deed;

/** `Your password` → `yourPassword`. */
function nameOf(field: string): string {
  const words = field.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('')
    .slice(0, LONGEST);
  return /^[A-Za-z]/.test(name) ? name : `secret${name}`;
}
