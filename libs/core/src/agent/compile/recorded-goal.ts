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

/** One action of an agent, or of a person at the wheel, as the events of its run tell of it. */
export interface ActionRecord {
  /** Which action of the agent in the step it is, from 1; of a person that of the agent before, 0: none. */
  readonly sequence: number;
  /** Who did it by hand; null: the agent. */
  readonly hand: string | null;
  readonly move: Action;
  /** For people. */
  readonly title: string;
  /** What a person approved, or answered, before it; null: no person was asked. */
  readonly approval: string | null;
  /** What came of it; null: nobody knows, its worker was lost. */
  readonly done:
    | (Pick<
        EventData<'agent.action_completed'>,
        'error' | 'pageBefore' | 'locators' | 'endLocators' | 'rows' | 'effect'
      > & {
        /** Where the page was afterwards; left out: the next one tells. */
        readonly after?: PageLocation | null;
        /** What came with it that its turn was to lead to; left out: nothing is known. */
        readonly held?: EventData<'agent.note'>['newlyMet'];
      })
    | null;
}

/** What the events of a run tell of one of its steps: of a goal all that was done for it, of others what a person did by hand before. */
export interface RecordedGoal {
  /** In order, each number once: where numbers begin anew, what was before does not count. */
  readonly deeds: readonly ActionRecord[];
  /** How the step ended; null: it was not come to, or never ended. */
  readonly end:
    { readonly value: Json; readonly page: EventData<'step.completed'>['page'] } | 'skipped' | 'failed' | null;
  /** Where parts of the answer stand, by JSON pointer. */
  readonly reads: ReadonlyMap<string, readonly Locator[]>;
  /** Attempts that did something of it. */
  readonly epochs: ReadonlySet<number>;
  /** Whether a person answered, and no event says before which action. */
  readonly hasLostApprovals: boolean;
  /** Questions in words that a person answered after the last action. */
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

/** What events tell of the steps of a run, by their place (`path`). Events have to be in order; of other steps only the end is told. */
export function collectRecordedGoals(events: readonly RunEvent[]): ReadonlyMap<string, RecordedGoal> {
  const records = new Map<string, Writing>();
  /** Where the run was last. */
  let where: PageLocation | null = null;
  const of = (data: { step: number; path?: string | undefined }): Writing => {
    const at = data.path ?? linearStepPath(data.step);
    const record = records.get(at) ?? begin();
    records.set(at, record);
    return record;
  };
  /** Attempts of workers that say what a person approved. */
  const approvals = new Set(
    events.filter(({ type, data }) => type === 'agent.action_started' && 'approval' in data).map(({ epoch }) => epoch),
  );
  for (const event of events) {
    // Of a step of a branch; what a page beside that of the run shows says nothing of this one.
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

/** A turn came to what it was to: its last action did. */
function hold(record: Writing, held: NonNullable<EventData<'agent.note'>['newlyMet']>): void {
  const last = record.deeds.at(-1);
  if (last?.done && last.hand === null)
    record.deeds = [...record.deeds.slice(0, -1), { ...last, done: { ...last.done, held } }];
}

/** @param before where the run was before it */
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

/** The data of an event of this type; undefined for others. */
function read<Type extends EventType>(type: Type, event: RunEvent): EventData<Type> | undefined {
  if (event.type !== type) return undefined;
  const parsed = eventData[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : undefined;
}

/** Most characters of the name of an input that is made of what a field is called. */
const LONGEST = 40;

/** What a run was given. */
interface Given {
  readonly definition: Pick<WorkflowDefinition, 'inputs'>;
  /** Names of its secret inputs. */
  readonly secrets: readonly string[];
}

/**
 * Secrets that a person typed are kept nowhere: the next run is given them, as inputs that are called as their fields are.
 * @returns the records with templates in their place, and the names of inputs that the workflow does not have yet
 */
export function typedSecretsToInputs(
  records: ReadonlyMap<string, RecordedGoal>,
  { definition, secrets }: Given,
): { records: ReadonlyMap<string, RecordedGoal>; inputs: readonly string[] } {
  const made = new Map<string, string>();
  const taken = new Set(Object.keys(definition.inputs ?? {}));
  /** The same field has the same secret. */
  const inputOf = (field: string, called: string): string => {
    const known = made.get(field);
    if (known !== undefined) return known;
    const base = nameOf(called);
    let name = base;
    // A secret input of the run that is called as the field is what was typed there.
    for (let n = 2; (taken.has(name) && !secrets.includes(name)) || [...made.values()].includes(name); n += 1)
      name = `${base}${n}`;
    made.set(field, name);
    return name;
  };
  const told = [...records].map(([at, record]): [string, RecordedGoal] => {
    const deeds = record.deeds.flatMap((deed, index) => {
      const field = secretField(deed);
      if (field === null) return deed;
      // What is typed in several goes is one secret.
      return secretField(record.deeds[index - 1]) === field ? [] : typing(deed, inputOf(field, calledBy(deed)));
    });
    return [at, { ...record, deeds }];
  });
  const inputs = [...new Set(made.values())].filter((name) => !taken.has(name));
  return { records: new Map(told), inputs };
}

/** What tells the field of a secret from others; null: no secret was typed by hand. */
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
