import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type {
  NativeAnswerKind,
  NativeExchange,
  NativeRecord,
  NativeResult,
} from '@pilothouse/contract/model/native-turn.schema';
import { ellipsize, observationText } from '../../../observation/observation-text.ts';
import type { AgentNote, AgentState, AgentTurn, NativeAgentTurn, ScreenshotFrame } from '../../agent-state.ts';
import { lastExecutedCall, refusalText } from './native-turn.ts';

/* Results of the last turns with a computer tool, built from the state of the agent. Nothing else is stored at the provider. */

/** Exchanges in a request: one fewer than the screenshots that the state keeps, so that the first one has its screenshot too. */
const MAX_EXCHANGES = 2;

const MAX_RESULT_CHARS = 20_000;

/**
 * Turns at the end of the history that used the same tool, oldest first. Empty after a turn without it.
 * @param fence encloses text that a website or application can influence
 */
export function nativeExchanges(state: AgentState, fence: (text: string) => string): NativeExchange[] {
  const { turns } = state.history;
  const tool = turns.at(-1)?.native?.record.turn.tool;
  const start = 1 + turns.findLastIndex(({ native }) => native === undefined || native.record.turn.tool !== tool);
  const recent = turns.slice(start).slice(-MAX_EXCHANGES);
  return recent.map((turn): NativeExchange => {
    const native = turn.native as NativeAgentTurn;
    const { screenshots } = state.page;
    const index = screenshots.findLastIndex((screenshot) => screenshot.turn === turn.number);
    const frame = index < 0 ? null : screenshotImages(screenshots, index);
    const page = turn === turns.at(-1) ? state.page.current : null;
    return {
      turn: native.record.turn,
      results: withZooms(
        resultsOf(native, { page, fence, state, notes: notesOf(turn, state) }),
        native,
        frame?.zooms ?? [],
      ),
      screenshot: frame?.screenshot ?? null,
    };
  });
}

/** Indexes of a frame's images in a request. Enlarged regions precede their screenshot, so that the screen is the last image. */
function screenshotImages(frames: readonly ScreenshotFrame[], index: number) {
  const start = frames.slice(0, index).reduce((count, { zooms = [] }) => count + zooms.length + 1, 0);
  const zooms = (frames[index]?.zooms ?? []).map((_, position) => start + position);
  return { zooms, screenshot: start + zooms.length };
}

/** Adds the images of enlarged regions. A region without its image, e.g. after a recovery, is a failure. */
function withZooms(
  results: readonly NativeResult[],
  { record: { plans } }: NativeAgentTurn,
  images: readonly number[],
): NativeResult[] {
  let next = 0;
  return results.map((result, call) => {
    if (!plans[call]?.region) return result;
    const zoom = images[next];
    next += 1;
    if (result.isError) return result;
    return zoom === undefined
      ? { ...result, text: 'The image of the region is gone. Call zoom again.', isError: true }
      : { ...result, zoom };
  });
}

/** The situation after a turn. */
interface TurnContext {
  /** Null: a newer turn followed. */
  readonly page: Observation | null;
  readonly fence: (text: string) => string;
  readonly state: AgentState;
  /** Notes of the turn. */
  readonly notes: readonly AgentNote[];
}

const notesOf = ({ number }: AgentTurn, { history }: AgentState): AgentNote[] =>
  history.notes.filter(({ turn }) => turn === number);

/** Text of a page, an action or a note as data. An empty text needs no delimiters. */
const fenced = (text: string, { fence }: Pick<TurnContext, 'fence'>): string =>
  text === '' ? '' : fence(ellipsize(text, MAX_RESULT_CHARS));

const MAX_FOUND_LINES = 20;

/** Words of a query that are searched for. */
const MAX_QUERY_WORDS = 20;

/** Text of the screen for a call that reads it. */
function screenText(
  { page, fence }: Pick<TurnContext, 'page' | 'fence'>,
  answer: NativeAnswerKind,
  args: Readonly<Record<string, unknown>>,
): string {
  if (!page) return 'Replaced by a newer result.';
  if (answer === 'text')
    return page.text
      ? fenced(page.text.text, { fence }) || 'The page has no text.'
      : 'The text of the page was not read. Use the screenshot and read_page.';
  const list = observationText(page);
  const text = answer === 'find' ? foundLines(list, String(args['query'] ?? '')) : list;
  return `${fenced(text, { fence })}\nThe ref of an element is its number.`;
}

/** Lines of the list that have a word of the query, best first. */
function foundLines(list: string, query: string): string {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).slice(0, MAX_QUERY_WORDS);
  const matches = list
    .split('\n')
    .filter((line) => /^\[\d+\]/.test(line))
    .map((line) => {
      const lowerCased = line.toLowerCase();
      return { line, count: words.filter((word) => lowerCased.includes(word)).length };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_FOUND_LINES);
  return matches.length > 0 ? matches.map(({ line }) => line).join('\n') : 'No element matches. Call read_page.';
}

function resultsOf(native: NativeAgentTurn, context: TurnContext): NativeResult[] {
  const { record, outcomes } = native;
  const results = record.turn.calls.map((call, index): NativeResult => {
    const { text, isError } = resultOf(index, native, context);
    const hasFailed = outcomes.some((outcome) => outcome.call === index && outcome.isError);
    return {
      id: call.id ?? '',
      name: call.name,
      toolset: call.toolset,
      text,
      isError,
      hasImage: record.plans[index]?.answer === 'screenshot' && !isError,
      // An action is executed only after its check was accepted. A failure is an execution, too.
      acknowledged: hasFailed || isComplete(index, native) ? [...call.checks] : [],
    };
  });
  return withImages(results, record);
}

/** True if a call was reached and all its actions succeeded. */
function isComplete(index: number, { record: { plans, refusal }, outcomes }: NativeAgentTurn): boolean {
  const plan = plans[index];
  if (!plan || refusal !== null) return false;
  if (plan.answer === 'steps' && index > lastExecutedCall(plans)) return false;
  return outcomes.filter(({ call, isError }) => call === index && !isError).length >= plan.actions;
}

/**
 * Pointer after a turn, in thousandths of the screen. Null: unknown, also if the turn did not finish.
 * @param native undefined: the turn used no computer tool
 */
export function pointerAfter(native: NativeAgentTurn | undefined): NativeRecord['plans'][number]['pointer'] {
  if (!native) return null;
  const { plans, refusal } = native.record;
  const lastCall = lastExecutedCall(plans);
  const isFinished = plans.slice(0, lastCall + 1).every((_, index) => isComplete(index, native));
  return isFinished || refusal !== null ? (plans[lastCall]?.pointer ?? null) : null;
}

/** OpenAI needs a screenshot for each call. For the others the last call gets it, which saves a call for it. */
function withImages(results: readonly NativeResult[], { turn, plans }: NativeRecord): NativeResult[] {
  if (turn.tool !== 'openai_computer' && results.some(({ hasImage }) => hasImage)) return [...results];
  const last = plans.findLastIndex(({ isMember }) => isMember);
  return results.map((result, index) => {
    const hasImage = turn.tool === 'openai_computer' ? plans[index]?.isMember === true : index === last;
    return { ...result, hasImage };
  });
}

interface ResultText {
  readonly text: string;
  readonly isError: boolean;
}

const success = (text: string): ResultText => ({ text, isError: false });
const failure = (text: string): ResultText => ({ text, isError: true });

function resultOf(index: number, native: NativeAgentTurn, context: TurnContext): ResultText {
  const { record, outcomes } = native;
  if (record.refusal !== null) return failure(refusalText(record.refusal));
  const plan = record.plans[index];
  const own = outcomes.filter(({ call }) => call === index);
  const failed = own.find(({ isError }) => isError);
  if (failed) return failure(fenced(failed.text, context));
  if (record.plans.some((_, call) => call <= index && !isComplete(call, native)))
    return failure(`${own.length > 0 ? 'Not finished' : 'Not executed'}: ${reasonOf(outcomes, context)}`);
  const steps = own.map(({ text }) => text).join('; ');
  switch (plan?.answer) {
    case 'screenshot':
      return success('');
    case 'zoom':
      return success('The enlarged region:');
    case 'tabs':
      return success([steps, tabsText(context)].filter(Boolean).join('\n'));
    case 'pointer':
      return success(pointerText(plan.pointer, context.state));
    case 'page':
    case 'text':
    case 'find':
      return success(screenText(context, plan.answer, record.turn.calls[index]?.args ?? {}));
    case 'note':
      return success(fenced(steps || (lastNote(context.notes) ?? ''), context) || 'ok');
    default:
      return success(fenced(steps, context) || 'ok');
  }
}

function reasonOf(outcomes: NativeAgentTurn['outcomes'], context: TurnContext): string {
  if (outcomes.some(({ isError }) => isError)) return 'an earlier action of this turn failed.';
  const note = lastNote(context.notes);
  return note === undefined
    ? 'the turn ended before it. Look at the screenshot, then call it again if it is needed.'
    : fenced(note, context);
}

const lastNote = (notes: readonly AgentNote[]): string | undefined =>
  notes.findLast(({ kind }) => kind !== 'escalated' && kind !== 'data_stored')?.note;

/** Lines of the open tabs, with their ids. */
function tabsText({ page, fence }: TurnContext): string {
  if (!page) return 'Replaced by a newer result.';
  const { url, title, tabs = [{ url, title, isCurrent: true }] } = page;
  const lines = tabs.map((tab, index) => {
    const current = tab.isCurrent ? ' (current)' : '';
    return `${index + 1}${current}: ${ellipsize(tab.title, 200)} ${ellipsize(tab.url, 500)}`;
  });
  return fenced(lines.join('\n'), { fence });
}

function pointerText(pointer: { x: number; y: number } | null, { page }: AgentState): string {
  const screen = page.screenshots.at(-1)?.screenshot;
  if (!pointer || !screen) return 'The position of the pointer is unknown.';
  const pixels = (thousandths: number, size: number) => Math.round((thousandths / 1000) * size);
  return `X=${pixels(pointer.x, screen.width)},Y=${pixels(pointer.y, screen.height)}`;
}
