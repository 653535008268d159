/**
 * The surface of a run, independent of the version of A2UI: constant components, and data that changes.
 */
import {
  type CardQuestion,
  type CardResult,
  type RowStatus,
  type RunCard,
  type RunCardRow,
  escapeMarkdown,
} from './run-card.ts';

/** A constant text, or the text at a path of the data. A path without a slash is relative to the list item. */
export type DataBinding = string | { readonly path: string };

export type TextStyle = 'heading' | 'label' | 'body' | 'caption';

/** A component by its kind; ids name components. */
export type Component = { readonly id: string } & (
  | { readonly kind: 'column' | 'row'; readonly children: readonly string[] }
  | {
      readonly kind: 'list';
      readonly list: ListName;
      readonly item: string;
      readonly direction: 'vertical' | 'horizontal';
    }
  | { readonly kind: 'text'; readonly text: DataBinding; readonly style: TextStyle }
  | { readonly kind: 'icon'; readonly name: { readonly path: string } }
  | { readonly kind: 'card'; readonly child: string }
  | { readonly kind: 'field'; readonly label: { readonly path: string }; readonly path: string }
  | {
      readonly kind: 'button';
      readonly child: string;
      readonly primary: boolean;
      readonly action: string;
      readonly context: Readonly<Record<string, { readonly path: string }>>;
    }
);

/** Lists of the data model, each drawn by a template. Optional parts are lists of zero or one item. */
export type ListName = 'steps' | 'activity' | 'questions' | 'words' | 'choices' | 'cancels' | 'results';

/** Icons by meaning. Each version maps them to its own icon names. */
export type IconName = RowStatus;

/** Fields of a data item. `icon` is an icon name, all others are texts. */
export type CardFacts = { readonly icon?: IconName } & Readonly<Record<string, string>>;

/** A change of the data. */
export type DataUpdate =
  | { readonly kind: 'run'; readonly facts: CardFacts }
  | { readonly kind: 'answer' }
  | { readonly kind: 'list'; readonly list: ListName; readonly items: readonly CardFacts[] }
  | { readonly kind: 'item'; readonly list: ListName; readonly index: number; readonly facts: CardFacts };

/** Actions of a person on the surface. */
export const viewActions = ['answer', 'complete', 'cancel'] as const;
export type ViewAction = (typeof viewActions)[number];

/** Path of an answer's text. */
const ANSWER = '/answer/text';

/** All components; `root` is the outermost. */
export const components: readonly Component[] = [
  {
    id: 'root',
    kind: 'column',
    children: ['heading', 'state', 'cancels', 'steps', 'questions', 'activity', 'results'],
  },
  { id: 'heading', kind: 'row', children: ['run-icon', 'run-title'] },
  { id: 'run-icon', kind: 'icon', name: { path: '/run/icon' } },
  { id: 'run-title', kind: 'text', text: { path: '/run/title' }, style: 'heading' },
  { id: 'state', kind: 'text', text: { path: '/run/state' }, style: 'caption' },
  { id: 'steps', kind: 'list', list: 'steps', item: 'step', direction: 'vertical' },
  { id: 'step', kind: 'row', children: ['step-icon', 'step-words', 'step-status'] },
  { id: 'step-icon', kind: 'icon', name: { path: 'icon' } },
  { id: 'step-words', kind: 'column', children: ['step-title', 'step-detail'] },
  { id: 'step-title', kind: 'text', text: { path: 'title' }, style: 'label' },
  { id: 'step-detail', kind: 'text', text: { path: 'detail' }, style: 'caption' },
  { id: 'step-status', kind: 'text', text: { path: 'status' }, style: 'caption' },
  { id: 'activity', kind: 'list', list: 'activity', item: 'activity-row', direction: 'vertical' },
  { id: 'activity-row', kind: 'row', children: ['activity-icon', 'activity-words'] },
  { id: 'activity-icon', kind: 'icon', name: { path: 'icon' } },
  { id: 'activity-words', kind: 'column', children: ['activity-title', 'activity-detail'] },
  { id: 'activity-title', kind: 'text', text: { path: 'title' }, style: 'caption' },
  { id: 'activity-detail', kind: 'text', text: { path: 'detail' }, style: 'caption' },
  { id: 'cancels', kind: 'list', list: 'cancels', item: 'cancel', direction: 'horizontal' },
  { id: 'cancel', kind: 'button', child: 'cancel-title', primary: false, action: 'cancel', context: {} },
  { id: 'cancel-title', kind: 'text', text: { path: 'title' }, style: 'body' },
  { id: 'questions', kind: 'list', list: 'questions', item: 'question', direction: 'vertical' },
  { id: 'question', kind: 'card', child: 'question-parts' },
  {
    id: 'question-parts',
    kind: 'column',
    children: ['question-reason', 'question-until', 'words', 'choices', 'complete'],
  },
  { id: 'question-reason', kind: 'text', text: { path: 'reason' }, style: 'body' },
  { id: 'question-until', kind: 'text', text: { path: 'until' }, style: 'caption' },
  { id: 'words', kind: 'list', list: 'words', item: 'answer', direction: 'vertical' },
  { id: 'answer', kind: 'field', label: { path: 'label' }, path: ANSWER },
  { id: 'choices', kind: 'list', list: 'choices', item: 'choice', direction: 'horizontal' },
  {
    id: 'choice',
    kind: 'button',
    child: 'choice-title',
    primary: true,
    action: 'answer',
    context: { question: { path: 'question' }, choice: { path: 'choice' }, text: { path: ANSWER } },
  },
  { id: 'choice-title', kind: 'text', text: { path: 'title' }, style: 'body' },
  {
    id: 'complete',
    kind: 'button',
    child: 'complete-title',
    primary: false,
    action: 'complete',
    context: { question: { path: 'question' } },
  },
  { id: 'complete-title', kind: 'text', text: 'Mark the run as completed', style: 'body' },
  { id: 'results', kind: 'list', list: 'results', item: 'result', direction: 'vertical' },
  { id: 'result', kind: 'card', child: 'result-parts' },
  { id: 'result-parts', kind: 'column', children: ['result-heading', 'result-text'] },
  { id: 'result-heading', kind: 'row', children: ['result-icon', 'result-title'] },
  { id: 'result-icon', kind: 'icon', name: { path: 'icon' } },
  { id: 'result-title', kind: 'text', text: { path: 'title' }, style: 'label' },
  { id: 'result-text', kind: 'text', text: { path: 'text' }, style: 'body' },
];

/** All data of a card. */
export const fullUpdate = (card: RunCard): DataUpdate[] => [
  { kind: 'run', facts: runFacts(card) },
  { kind: 'answer' },
  cancelUpdate(card),
  { kind: 'list', list: 'steps', items: card.rows.map(rowFacts) },
  { kind: 'list', list: 'activity', items: card.activity.map(rowFacts) },
  ...questionUpdates(card.question),
  { kind: 'list', list: 'results', items: card.result ? [resultFacts(card.result)] : [] },
];

/** The smallest data updates between two states of a card. */
export function diffCards(previous: RunCard, card: RunCard): DataUpdate[] {
  const updates: DataUpdate[] = [];
  const facts = runFacts(card);
  const previousFacts = runFacts(previous);
  if (Object.keys(facts).some((name) => facts[name] !== previousFacts[name])) updates.push({ kind: 'run', facts });
  card.rows.forEach((row, index) => {
    if (row !== previous.rows[index]) updates.push({ kind: 'item', list: 'steps', index, facts: rowFacts(row) });
  });
  if (canCancel(card) !== canCancel(previous)) updates.push(cancelUpdate(card));
  updates.push(...activityUpdates(previous, card));
  if (card.question !== previous.question) {
    updates.push(...questionUpdates(card.question));
    // The text of an answer belongs to its question.
    updates.push({ kind: 'answer' });
  }
  if (card.result && card.result !== previous.result) {
    updates.push({ kind: 'list', list: 'results', items: [resultFacts(card.result)] });
  }
  return updates;
}

/** Changed and added rows. A list whose oldest rows were dropped is sent as a whole. */
function activityUpdates(previous: RunCard, card: RunCard): DataUpdate[] {
  if (card.droppedActivity !== previous.droppedActivity)
    return [{ kind: 'list', list: 'activity', items: card.activity.map(rowFacts) }];
  return card.activity.flatMap((row, index): DataUpdate[] =>
    row === previous.activity[index] ? [] : [{ kind: 'item', list: 'activity', index, facts: rowFacts(row) }],
  );
}

const canCancel = ({ result, isCancelling }: RunCard): boolean => result === null && !isCancelling;

const cancelUpdate = (card: RunCard): DataUpdate => ({
  kind: 'list',
  list: 'cancels',
  items: canCancel(card) ? [{ title: 'Cancel run' }] : [],
});

const icons: Readonly<Record<RunCard['status'], IconName>> = {
  queued: 'pending',
  running: 'running',
  awaiting_user: 'interrupted',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'skipped',
};

const statusLabels: Readonly<Record<RunCard['status'], string>> = {
  queued: 'Queued',
  running: 'Running',
  awaiting_user: 'Needs input',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

function runFacts({ title, status, note, usage }: RunCard): CardFacts {
  const price = usage.usd === null ? '' : `, $${usage.usd.toFixed(4)}`;
  const models =
    usage.calls === 0
      ? ''
      : `${usage.calls} model ${usage.calls === 1 ? 'call' : 'calls'}, ${usage.tokens} tokens${price}`;
  const state = [statusLabels[status], note, models].filter((part) => part !== '').join(' · ');
  return { icon: icons[status], title: escapeMarkdown(title), state: escapeMarkdown(state) };
}

const rowFacts = ({ title, detail, status }: RunCardRow): CardFacts => ({
  icon: status,
  title: escapeMarkdown(title),
  detail: escapeMarkdown(detail),
  status,
});

function questionUpdates(question: CardQuestion | null): DataUpdate[] {
  const questions = question === null ? [] : [question];
  return [
    {
      kind: 'list',
      list: 'words',
      items: questions.flatMap(({ acceptsText: words }) => (words ? [{ label: 'Your answer (optional)' }] : [])),
    },
    {
      kind: 'list',
      list: 'choices',
      items: questions.flatMap(({ key, choices }) =>
        choices.map(({ choice, title }) => ({ question: key, choice, title: escapeMarkdown(title) })),
      ),
    },
    {
      kind: 'list',
      list: 'questions',
      items: questions.map(({ key, reason, until: deadline }) => ({
        question: key,
        reason: escapeMarkdown(reason),
        until: `Answer before ${deadline}`,
      })),
    },
  ];
}

const resultFacts = ({ title, text, status }: CardResult): CardFacts => ({ icon: status, title, text });
