import type { Action } from '@pilothouse/contract/actions/action-sets';
import { type Locator, toLocatorChain, locatorNames } from '@pilothouse/contract/actions/locator.schema';
import { type EventData, type EventType, type RunEvent, eventData } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { linearStepPath } from '../../interpreter/step-path.ts';
import { triggeringActions } from '../approval/action-effects.ts';
import { effectOfName } from '../approval/risky-words.ts';
import type { PageLocation } from './arrival-expectation.ts';
import { MASK } from '../../secret/secret-masker.ts';
import { isTextEntry } from '../page-queries.ts';

/** Action of an agent, or of a person with manual control, collected from events. */
export interface ActionRecord {
  /** Number of the action in the step, from 1. A manual action has the number of the agent action before it; 0: none. */
  readonly sequence: number;
  /** Person who did it; null: the agent. */
  readonly operator: string | null;
  readonly action: Action;
  /** Title for people. */
  readonly title: string;
  /** Approval or answer of a person before the action; null: no question was asked. */
  readonly approval: string | null;
  /** Result; null: unknown, because the worker was lost. */
  readonly result:
    | (Pick<
        EventData<'agent.action_completed'>,
        'error' | 'pageBefore' | 'locators' | 'endLocators' | 'rows' | 'irreversibleEffect'
      > & {
        /** Missing: a manual action. */
        readonly durationMs?: number;
        /** Page read right after the action. The action may still be changing it. */
        readonly page?: PageLocation | null | undefined;
        /** Page to which the action led; missing: the next action has it. */
        readonly nextPage?: PageLocation | null;
        /** Part of the expected result that the action made true; missing: unknown. */
        readonly metExpectation?: EventData<'agent.note'>['newlyMet'];
      })
    | null;
}

/** Record of a step: all actions of a goal, or the manual actions before any other step. */
export interface RecordedGoal {
  /** Actions in order, each number once. If the numbers restart, earlier actions are dropped. */
  readonly actions: readonly ActionRecord[];
  /** End of the step; null: not reached, or not ended. */
  readonly end:
    { readonly value: Json; readonly page: EventData<'step.completed'>['page'] } | 'skipped' | 'failed' | null;
  /** Locators of the answer's parts, by JSON pointer. */
  readonly answerSources: ReadonlyMap<string, readonly Locator[]>;
  /** Epochs of the attempts that contributed. */
  readonly epochs: ReadonlySet<number>;
  /** True if an answer of a person cannot be assigned to an action. */
  readonly hasLostApprovals: boolean;
  /** Text questions that a person answered after the last action. */
  readonly answeredQuestions: readonly string[];
}

type MutableRecord = { -readonly [Field in keyof RecordedGoal]: RecordedGoal[Field] };

const emptyRecord = (): MutableRecord => ({
  actions: [],
  end: null,
  answerSources: new Map(),
  epochs: new Set(),
  hasLostApprovals: false,
  answeredQuestions: [],
});

/** Collects records of steps by `path`. Events must be in order. Steps without a goal have only their end. */
export function collectRecordedGoals(events: readonly RunEvent[]): ReadonlyMap<string, RecordedGoal> {
  const records = new Map<string, MutableRecord>();
  /** Last known page of the run. */
  let lastPage: PageLocation | null = null;
  const recordOf = (data: { step: number; path?: string | undefined }): MutableRecord => {
    const stepPath = data.path ?? linearStepPath(data.step);
    const record = records.get(stepPath) ?? emptyRecord();
    records.set(stepPath, record);
    return record;
  };
  /** Epochs whose events contain approvals. */
  const approvals = new Set(
    events.filter(({ type, data }) => type === 'agent.action_started' && 'approval' in data).map(({ epoch }) => epoch),
  );
  for (const event of events) {
    // Skips branches, because they use other pages than the run.
    if (event.data['branch'] !== undefined) continue;
    const actionStarted = parseEventData('agent.action_started', event);
    if (actionStarted) recordActionStart(recordOf(actionStarted), actionStarted, event.epoch);
    const actionCompleted = parseEventData('agent.action_completed', event);
    if (actionCompleted) recordActionResult(recordOf(actionCompleted), actionCompleted);
    const answerSources = parseEventData('agent.answer_sources', event);
    if (answerSources)
      recordOf(answerSources).answerSources = new Map(
        answerSources.sources.map(({ pointer, locators }) => [pointer, locators]),
      );
    const note = parseEventData('agent.note', event);
    if (note?.kind === 'answer')
      recordOf(note).answeredQuestions = [...recordOf(note).answeredQuestions, note.question ?? note.note];
    if (note?.kind === 'approval_decision') recordOf(note).hasLostApprovals ||= !approvals.has(event.epoch);
    if (note?.kind === 'verified' && note.newlyMet) recordMetExpectation(recordOf(note), note.newlyMet);
    const manualAction = parseEventData('control.action', event);
    if (manualAction) recordManualAction(recordOf(manualAction), manualAction, lastPage);
    lastPage = (manualAction ?? actionCompleted ?? parseEventData('step.completed', event))?.page ?? lastPage;
    const stepCompleted = parseEventData('step.completed', event);
    if (stepCompleted) recordOf(stepCompleted).end = { value: stepCompleted.value ?? null, page: stepCompleted.page };
    const stepSkipped = parseEventData('step.skipped', event);
    if (stepSkipped) recordOf(stepSkipped).end = 'skipped';
    const stepFailed = parseEventData('step.failed', event);
    if (stepFailed) recordOf(stepFailed).end = 'failed';
  }
  return records;
}

function recordActionStart(
  record: MutableRecord,
  actionStarted: EventData<'agent.action_started'>,
  epoch: number,
): void {
  const { sequence, action, title, approval = null } = actionStarted;
  const approvals = [...record.answeredQuestions, ...(approval === null ? [] : [`Allow it to ${approval}`])];
  const startedAction = {
    sequence,
    operator: null,
    action,
    title,
    approval: approvals.length === 0 ? null : approvals.join('; '),
    result: null,
  };
  record.actions = [...record.actions.filter((action) => action.sequence < sequence), startedAction];
  record.answeredQuestions = [];
  record.epochs = new Set([...record.epochs, epoch]);
}

function recordActionResult(record: MutableRecord, result: EventData<'agent.action_completed'>): void {
  record.actions = record.actions.map((action) =>
    action.sequence === result.sequence && action.operator === null ? { ...action, result } : action,
  );
}

/** Stores the met expectation of a turn in its last action. */
function recordMetExpectation(
  record: MutableRecord,
  metExpectation: NonNullable<EventData<'agent.note'>['newlyMet']>,
): void {
  const lastAction = record.actions.at(-1);
  if (lastAction?.result && lastAction.operator === null)
    record.actions = [
      ...record.actions.slice(0, -1),
      { ...lastAction, result: { ...lastAction.result, metExpectation } },
    ];
}

/** Converts a manual action. @param previousPage page after the previous action; used if the event does not record its first page */
function recordManualAction(
  record: MutableRecord,
  { operator, action, title, page, pageBefore: recordedPage }: EventData<'control.action'>,
  previousPage: PageLocation | null,
): void {
  const target = 'target' in action && action.target !== undefined ? toLocatorChain(action.target) : [];
  const names = target.flatMap(locatorNames);
  const irreversibleEffect = triggeringActions.has(action.action)
    ? (names.map(effectOfName).find((effect) => effect !== null) ?? null)
    : null;
  const startPage = recordedPage ?? previousPage;
  const pageBefore = startPage && { url: startPage.url, title: startPage.title, height: 0 };
  const result = { error: null, pageBefore, locators: [], irreversibleEffect, nextPage: page };
  record.actions = [
    ...record.actions,
    { sequence: record.actions.at(-1)?.sequence ?? 0, operator, action, title, approval: null, result },
  ];
}

/** Data of an event of this type; undefined: another type. */
function parseEventData<Type extends EventType>(type: Type, event: RunEvent): EventData<Type> | undefined {
  if (event.type !== type) return undefined;
  const parsed = eventData[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : undefined;
}

/** Maximum characters of an input name that is derived from the name of a field. */
const MAX_INPUT_NAME_CHARS = 40;

interface RunInputs {
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
  { definition, secrets }: RunInputs,
): { records: ReadonlyMap<string, RecordedGoal>; inputs: readonly string[] } {
  const inputByField = new Map<string, string>();
  const inputNames = new Set(Object.keys(definition.inputs ?? {}));
  /** Input for the secret of a field. The same field has the same input. */
  const inputOf = (field: string, label: string): string => {
    const existing = inputByField.get(field);
    if (existing !== undefined) return existing;
    const base = inputNameOf(label);
    let name = base;
    // Assumes that a secret input with the name of the field was typed.
    for (
      let n = 2;
      (inputNames.has(name) && !secrets.includes(name)) || [...inputByField.values()].includes(name);
      n += 1
    )
      name = `${base}${n}`;
    inputByField.set(field, name);
    return name;
  };
  const compiledRecords = [...records].map(([stepPath, record]): [string, RecordedGoal] => {
    const actions = record.actions.flatMap((action, index) => {
      const field = secretFieldKey(action);
      if (field === null) return action;
      // Several texts typed into the same field are one secret.
      return secretFieldKey(record.actions[index - 1]) === field
        ? []
        : withInputTemplate(action, inputOf(field, fieldLabel(action)));
    });
    return [stepPath, { ...record, actions }];
  });
  const inputs = [...new Set(inputByField.values())].filter((name) => !inputNames.has(name));
  return { records: new Map(compiledRecords), inputs };
}

/** True if a person did a part of a step with manual control. */
export const hasManualAction = ({ actions }: RecordedGoal): boolean =>
  actions.some(({ operator }) => operator !== null);

/** Origins in the original workflow, and those that an agent opened. */
export function allowedOrigins(
  definition: WorkflowDefinition,
  records: ReadonlyMap<string, RecordedGoal>,
): ReadonlySet<string> {
  const actions = [...records.values()].flatMap((record) => record.actions.map(({ action }) => action));
  return new Set(JSON.stringify([definition, actions]).match(/https?:\/\/[\w.-]+(?::\d+)?/g));
}

/** Identifies the field of a secret; null: no secret was typed manually. */
const secretFieldKey = (record: ActionRecord | undefined): string | null =>
  record && record.operator !== null && isTextEntry(record.action) && record.action.text === MASK
    ? JSON.stringify(record.action.target)
    : null;

const fieldLabel = ({ action }: ActionRecord): string =>
  isTextEntry(action) ? (toLocatorChain(action.target ?? []).flatMap(locatorNames)[0] ?? 'secret') : 'secret';

const withInputTemplate = (record: ActionRecord, input: string): ActionRecord =>
  isTextEntry(record.action) ? { ...record, action: { ...record.action, text: `{{inputs.${input}}}` } } : record;

/** `Your password` → `yourPassword`. */
function inputNameOf(field: string): string {
  const words = field.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words
    .map((word, index) =>
      index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('')
    .slice(0, MAX_INPUT_NAME_CHARS);
  return /^[A-Za-z]/.test(name) ? name : `secret${name}`;
}
