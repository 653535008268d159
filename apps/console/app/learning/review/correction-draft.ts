import type { CorrectedAction, TraceStep } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';

/** Target of a corrected action: an element of the recorded list, or a point in thousandths of the viewport. */
export type DraftTarget = { elementIndex: number } | { point: { x: number; y: number } };

interface DraftKind {
  readonly label: string;
  readonly target: 'required' | 'optional' | 'none';
  /** Text field: name in the action, and label. */
  readonly field?: { readonly name: string; readonly label: string; readonly isOptional?: true };
}

/** Actions with form fields. Others are edited as JSON. */
export const draftKinds = {
  click: { label: 'Click', target: 'required' },
  fill: { label: 'Fill', target: 'required', field: { name: 'text', label: 'Text' } },
  type: { label: 'Type', target: 'optional', field: { name: 'text', label: 'Text' } },
  press: { label: 'Press a key', target: 'optional', field: { name: 'key', label: 'Key' } },
  selectOption: { label: 'Select an option', target: 'required', field: { name: 'option', label: 'Option' } },
  check: { label: 'Check', target: 'required' },
  uncheck: { label: 'Uncheck', target: 'required' },
  hover: { label: 'Hover', target: 'required' },
  clear: { label: 'Clear', target: 'required' },
  navigate: { label: 'Open a URL', target: 'none', field: { name: 'url', label: 'URL' } },
  wait: { label: 'Wait', target: 'none', field: { name: 'seconds', label: 'Seconds' } },
  done: { label: 'Done', target: 'none', field: { name: 'answer', label: 'Answer', isOptional: true } },
  ask: { label: 'Ask a person', target: 'none', field: { name: 'question', label: 'Question' } },
  fail: { label: 'Fail the goal', target: 'none', field: { name: 'reason', label: 'Why the goal cannot be reached' } },
  json: { label: 'Other action (JSON)', target: 'none', field: { name: 'json', label: 'Action as JSON' } },
} as const satisfies Readonly<Record<string, DraftKind>>;
export type DraftKindName = keyof typeof draftKinds;

/** A corrected action in its form. */
export interface DraftAction {
  readonly kind: DraftKindName;
  readonly target: DraftTarget | null;
  readonly text: string;
  /** With `done`: part of the title or URL of the page. Missing: the API takes the title. */
  readonly anchor?: string;
  /** With `done`: texts of the page that show that the goal is met, one per line. */
  readonly indicators?: string;
}

/** Fields of a draft that a problem can name. */
export type DraftField = 'target' | 'text' | 'anchor' | 'indicators';

/** A draft that is not complete: the problem, and the field to correct. */
export interface DraftProblem {
  readonly field: DraftField;
  readonly message: string;
}

export const emptyDraft: DraftAction = { kind: 'click', target: null, text: '' };

export const draftKindOf = (kind: DraftKindName): DraftKind => draftKinds[kind];

export const isDraftKind = (name: string): name is DraftKindName => Object.hasOwn(draftKinds, name);

const decisionFields = { done: 'answer', ask: 'question', fail: 'reason' } as const;

type CheckedDraft =
  | { readonly action: CorrectedAction; readonly problem?: undefined }
  | { readonly action?: undefined; readonly problem: DraftProblem };

/** The action of a draft, or the field that is wrong. */
export function correctedActionOf(draft: DraftAction): CheckedDraft {
  const { kind, target, text } = draft;
  const { label, target: targetUse, field } = draftKindOf(kind);
  const refuse = (name: DraftField, advice: string) => ({ problem: { field: name, message: `${label}: ${advice}` } });
  if (targetUse === 'required' && target === null) return refuse('target', 'pick a target on the screenshot.');
  if (field && !field.isOptional && text.trim() === '') return refuse('text', `enter a value in “${field.label}”.`);
  if (kind === 'done') return claimOf(draft, refuse);
  if (kind === 'ask' || kind === 'fail')
    return { action: { kind, [decisionFields[kind]]: text } as unknown as CorrectedAction };
  if (kind === 'json') {
    const value = parseObject(text);
    return value ? { action: value as CorrectedAction } : refuse('text', 'enter a JSON object.');
  }
  if (kind === 'wait' && !(Number(text) >= 0)) return refuse('text', 'enter a number of seconds.');
  const action = {
    action: kind,
    ...(targetUse !== 'none' && target !== null && { target }),
    ...(field && { [field.name]: kind === 'wait' ? Number(text) : text }),
  };
  return { action: { kind: 'act', action } as CorrectedAction };
}

/** Limits of the evidence of a claim. The API has the same. */
export const EVIDENCE_LIMITS = { characters: 500, indicators: 10 } as const;

/** A claim with its evidence. Without an answer, the API has nothing to take the evidence from. */
function claimOf(
  { text, anchor = '', indicators = '' }: DraftAction,
  refuse: (field: DraftField, advice: string) => CheckedDraft,
): CheckedDraft {
  const { characters, indicators: maxIndicators } = EVIDENCE_LIMITS;
  const lines = indicators
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const titlePart = anchor.trim();
  const answer = text.trim() === '' ? null : text;
  if (titlePart.length > characters) return refuse('anchor', `use at most ${characters} characters of title or URL.`);
  if (lines.length > maxIndicators) return refuse('indicators', `enter at most ${maxIndicators} texts.`);
  if (lines.some((line) => line.length > characters))
    return refuse('indicators', `use at most ${characters} characters for each text.`);
  if (answer === null && lines.length === 0)
    return refuse('indicators', 'enter a text of the page that shows that the goal is met, or an answer.');
  return {
    action: {
      kind: 'done',
      answer,
      ...(titlePart !== '' && { anchor: titlePart }),
      ...(lines.length > 0 && { indicators: lines }),
    },
  };
}

/** Problems that the API reported, by the number of the draft from 0. */
export function draftProblemsOf(
  fields: readonly { readonly pointer: string; readonly detail: string }[],
): ReadonlyMap<number, DraftProblem> {
  const problems = new Map<number, DraftProblem>();
  for (const { pointer, detail } of fields) {
    const [, index = '', part, item] = /^\/correctedActions\/(\d+)(?:\/(\w+))?(?:\/(\d+))?/.exec(pointer) ?? [];
    if (index === '' || problems.has(Number(index))) continue;
    const field = part === 'anchor' || part === 'indicators' ? part : 'text';
    problems.set(Number(index), {
      field,
      message: field === 'indicators' && item !== undefined ? `Text ${Number(item) + 1}: ${detail}` : detail,
    });
  }
  return problems;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The form of an action. An action with fields that the form does not have is edited as JSON. */
export function draftOf(corrected: CorrectedAction): DraftAction {
  const json: DraftAction = { kind: 'json', target: null, text: JSON.stringify(corrected, null, 2) };
  if (corrected.kind !== 'act') {
    const value: unknown = (corrected as Readonly<Record<string, unknown>>)[decisionFields[corrected.kind]];
    if (value !== null && typeof value !== 'string') return json;
    const draft = { kind: corrected.kind, target: null, text: value ?? '' };
    if (corrected.kind !== 'done') return draft;
    const { anchor, indicators } = corrected;
    if (indicators?.some((line) => line.includes('\n'))) return json;
    return {
      ...draft,
      ...(anchor !== undefined && { anchor }),
      ...(indicators && { indicators: indicators.join('\n') }),
    };
  }
  const { action: name, target, ...rest } = corrected.action as Readonly<Record<string, unknown>> & { action: string };
  if (!isDraftKind(name)) return json;
  const { field, target: targetUse } = draftKindOf(name);
  const value = field ? rest[field.name] : '';
  const hasOtherFields = Object.keys(rest).some((key) => key !== field?.name);
  const draftTarget = target === undefined ? null : targetOf(target);
  if (hasOtherFields || (typeof value !== 'string' && typeof value !== 'number')) return json;
  if (draftTarget === undefined || (draftTarget !== null && targetUse === 'none')) return json;
  return { kind: name, target: draftTarget, text: String(value) };
}

/** undefined: the target is a locator, which has no place on the screenshot. */
function targetOf(target: unknown): DraftTarget | undefined {
  if (typeof target !== 'object' || target === null || Object.keys(target).length !== 1) return undefined;
  const { elementIndex, point } = target as { elementIndex?: unknown; point?: unknown };
  if (typeof elementIndex === 'number') return { elementIndex };
  if (typeof point !== 'object' || point === null) return undefined;
  const { x, y } = point as { x?: unknown; y?: unknown };
  return typeof x === 'number' && typeof y === 'number' ? { point: { x, y } } : undefined;
}

/** Drafts of a step: its correction, else its own actions, else one empty action. */
export function draftsOf({
  correctedActions,
  actions,
}: Pick<TraceStep, 'correctedActions' | 'actions'>): DraftAction[] {
  const drafts = correctedActions
    ? correctedActions.map(draftOf)
    : actions.flatMap(({ action }) => (action ? [draftOf({ kind: 'act', action })] : []));
  return drafts.length > 0 ? drafts : [emptyDraft];
}

/** Words for a target: the recorded element, or the point in thousandths of the viewport. */
export function targetText(target: DraftTarget, record: Pick<TurnRecord, 'observation'> | null): string {
  if ('point' in target) return `point ${Math.round(target.point.x)}, ${Math.round(target.point.y)}`;
  const element = record?.observation.elements.find(({ index }) => index === target.elementIndex);
  return element ? `[${element.index}] ${element.role} “${element.name}”` : `element ${target.elementIndex}`;
}

/** Words for a corrected action: `Fill [3] textbox “Name”: Ada`. */
export function correctedActionText(action: CorrectedAction, record: Pick<TurnRecord, 'observation'> | null): string {
  const { kind, target, text, anchor = '', indicators = '' } = draftOf(action);
  if (kind === 'json') return JSON.stringify(action);
  const head = [draftKindOf(kind).label, target && targetText(target, record)].filter(Boolean).join(' ');
  const evidence = [anchor, ...indicators.split('\n')].filter((part) => part !== '').map((part) => `“${part}”`);
  const shown = evidence.length === 0 ? '' : `; the page shows ${evidence.join(', ')}`;
  return `${text === '' ? head : `${head}: ${text}`}${shown}`;
}
