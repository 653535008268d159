import { eventData, type EventData, type EventType, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { isUnverified, type Result } from '@pilothouse/contract/run/outcome';
import { questionLines } from './question-text.ts';
import type { Style } from './text-style.ts';
import { secondsBetween, duration } from './time-text.ts';
import { clean, hideTemplates, pad, short } from './sanitize-text.ts';
import { inShort } from './value-text.ts';

/** Output of an event: lines to print, and the current activity. */
export interface ProgressUpdate {
  readonly lines: readonly string[];
  /** The current activity and its start; null: none; undefined: unchanged. */
  readonly activity?: { readonly text: string; readonly since: string } | null;
}

/** The index and path of a step. */
type StepRef = Pick<EventData<'step.completed'>, 'step' | 'path'>;

/** The step that a run failed at. */
export interface FailedStep {
  readonly step: number;
  /** The number of the step in the workflow, e.g. `3[2]/1`. */
  readonly number: string;
  readonly title: string;
}

const NO_UPDATE: ProgressUpdate = { lines: [] };
const TITLE_COLUMNS = 44;

/** Width of the column of step numbers such as `3[2]/1`. A longer number widens it. */
const NUMBER_COLUMNS = 8;

/** The data of an event, or null when it does not match this version's schema. */
function parseData<Type extends EventType>(type: Type, event: RunEvent): EventData<Type> | null {
  const parsed = eventData[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : null;
}

const unverifiedText = ({ effectReason }: Pick<Result, 'effectReason'>): string =>
  effectReason === undefined ? 'not verified' : `not verified: ${short(clean(effectReason), 80)}`;

/** Converts the events of a run to lines: one for each step, and notices. */
export class Progress {
  private readonly steps = new Map<number, { readonly number: string; readonly title: string }>();
  private failedAt: FailedStep | null = null;
  private count: number | null = null;
  /** Width of the widest step number so far, for alignment. */
  private width = 0;
  private readonly style: Style;

  constructor(style: Style) {
    this.style = style;
  }

  /** Number of steps of the run; null if control flow decides it. */
  get stepCount(): number | null {
    return this.count;
  }

  /** The step that the run failed at, once it has. */
  get failure(): FailedStep | null {
    return this.failedAt;
  }

  /** Returns the output of an event. Call it with events in order, each once. */
  update(event: RunEvent): ProgressUpdate {
    switch (event.type) {
      case 'run.queued':
        this.count = parseData('run.queued', event)?.steps ?? null;
        return { lines: [], activity: { text: 'waiting for a worker', since: event.at } };
      case 'run.assigned':
        return this.assigned(event);
      case 'run.requeued':
        return {
          lines: [this.style.yellow(`↻ requeued for another worker: ${clean(event.message)}`)],
          activity: { text: 'waiting for another worker', since: event.at },
        };
      case 'run.slot_released':
        return { lines: [this.style.dim(`· ${clean(event.message)}`)] };
      case 'run.cancelling':
        return { lines: [this.style.yellow('■ Cancelling')], activity: { text: 'stopping', since: event.at } };
      case 'run.awaiting_user':
        return this.awaitingUser(event);
      case 'run.answered':
        return {
          lines: [this.style.dim(`· ${clean(event.message)}`)],
          activity: { text: 'continuing', since: event.at },
        };
      case 'step.started':
        return this.stepStarted(event);
      case 'step.completed':
        return this.stepCompleted(event);
      case 'step.failed':
        return this.failed(event);
      case 'step.retrying':
        return this.retrying(event);
      case 'step.skipped':
        return this.skipped(event);
      case 'run.failed':
        return this.runFailed(event);
      case 'run.completed':
      case 'run.cancelled':
        return { lines: [], activity: null };
      case 'branch.step_started':
        return this.branchStepStarted(event);
      case 'agent.action_started':
        return this.actionStarted(event);
      case 'agent.action_completed':
        return this.actionCompleted(event);
      case 'control.taken':
      case 'control.released':
      case 'control.action':
      case 'dialog.opened':
      case 'dialog.closed':
        return { lines: [this.style.dim(`· ${short(clean(event.message), 120)}`)] };
      case 'step.healed':
      case 'agent.note':
      case 'agent.answer_sources':
        return event.level === 'warn'
          ? { lines: [this.style.yellow(`  ! ${short(clean(event.message), 120)}`)] }
          : NO_UPDATE;
      case 'run.log':
        return event.level === 'warn' || event.level === 'error'
          ? { lines: [this.style.yellow(`! ${clean(event.message)}`)] }
          : NO_UPDATE;
      default:
        return NO_UPDATE;
    }
  }

  private assigned(event: RunEvent): ProgressUpdate {
    const data = parseData('run.assigned', event);
    const worker = data ? clean(data.worker) : 'a worker';
    return {
      lines: [this.style.dim(`· on ${worker}`)],
      activity: { text: `${worker}: opening browser`, since: event.at },
    };
  }

  private awaitingUser(event: RunEvent): ProgressUpdate {
    const data = parseData('run.awaiting_user', event);
    const lines = data
      ? questionLines(data, event.run.slice(0, 13), this.style)
      : [this.style.yellow(`? ${clean(event.message)}`)];
    return { lines, activity: { text: 'needs input', since: event.at } };
  }

  private stepStarted(event: RunEvent): ProgressUpdate {
    const data = parseData('step.started', event);
    if (!data) return NO_UPDATE;
    const title = clean(hideTemplates(data.title));
    this.steps.set(data.step, { number: data.label === undefined ? pathOf(data) : clean(data.label), title });
    return { lines: [], activity: { text: `${this.number(data)}  ${title}`, since: event.at } };
  }

  private stepCompleted(event: RunEvent): ProgressUpdate {
    const data = parseData('step.completed', event);
    if (!data) return NO_UPDATE;
    const value = data.value === undefined ? '' : this.style.dim(inShort(data.value));
    const status = data.page?.status === undefined ? '' : this.style.yellow(`HTTP ${data.page.status}`);
    const unverified = isUnverified(data) ? this.style.yellow(unverifiedText(data)) : '';
    const detail = [unverified, status, value].filter((text) => text !== '').join(' ');
    const symbol = unverified === '' ? this.style.green('✓') : this.style.yellow('✓');
    return { lines: [this.step(symbol, data, data.durationMs, detail)], activity: null };
  }

  private branchStepStarted(event: RunEvent): ProgressUpdate {
    const data = parseData('branch.step_started', event);
    return data
      ? { lines: [], activity: { text: `  ${clean(data.branch)}  ${clean(data.title)}`, since: event.at } }
      : NO_UPDATE;
  }

  private actionStarted(event: RunEvent): ProgressUpdate {
    const data = parseData('agent.action_started', event);
    return data
      ? { lines: [], activity: { text: `  ${data.turn}  ${clean(data.title)}`, since: event.at } }
      : NO_UPDATE;
  }

  private actionCompleted(event: RunEvent): ProgressUpdate {
    const data = parseData('agent.action_completed', event);
    if (!data) return NO_UPDATE;
    const note = data.error || !isUnverified(data) ? '' : this.style.dim(`, ${unverifiedText(data)}`);
    const line = `  ${data.error ? this.style.yellow('✗') : this.style.dim('·')} ${short(clean(event.message), 100)}${note}`;
    return { lines: [line], activity: { text: 'thinking', since: event.at } };
  }

  private failed(event: RunEvent): ProgressUpdate {
    const data = parseData('step.failed', event);
    if (!data) return NO_UPDATE;
    const [symbol, paint] = data.error.code === 'RUN_CANCELLED' ? ['■', this.style.yellow] : ['✗', this.style.red];
    return { lines: [this.step(paint(symbol), data, data.durationMs, paint(data.error.code))], activity: null };
  }

  private retrying(event: RunEvent): ProgressUpdate {
    const data = parseData('step.retrying', event);
    if (!data) return NO_UPDATE;
    const { attempt, maxAttempts, errorCode, durationMs } = data;
    const retryText = this.style.yellow(`${errorCode}, attempt ${attempt} of ${maxAttempts}`);
    return {
      lines: [this.step(this.style.yellow('↻'), data, durationMs, retryText)],
      activity: { text: `${this.number(data)}  waiting for attempt ${attempt + 1}`, since: event.at },
    };
  }

  private skipped(event: RunEvent): ProgressUpdate {
    const data = parseData('step.skipped', event);
    if (!data) return NO_UPDATE;
    return { lines: [this.step(this.style.dim('–'), data, null, this.style.dim(clean(data.reason)))] };
  }

  private runFailed(event: RunEvent): ProgressUpdate {
    const step = parseData('run.failed', event)?.step ?? null;
    this.failedAt = step === null ? null : { step, number: this.stepNumber({ step }), title: this.title(step) };
    return { lines: [], activity: null };
  }

  private title(step: number): string {
    return this.steps.get(step)?.title ?? `Step ${step + 1}`;
  }

  /** The number of a step. Without control flow it follows from the index; otherwise the first event of the step has it. */
  private stepNumber(ref: StepRef): string {
    if (this.count !== null) return String(ref.step + 1);
    return this.steps.get(ref.step)?.number ?? pathOf(ref);
  }

  private step(symbol: string, ref: StepRef, ms: number | null, suffix: string): string {
    const title = pad(short(this.title(ref.step), TITLE_COLUMNS), TITLE_COLUMNS);
    const durationText = pad(ms === null ? '' : duration(ms / 1000), 9, 'right');
    return `${symbol} ${this.style.dim(this.number(ref))}  ${title} ${durationText}  ${suffix}`.trimEnd();
  }

  /** The number of a step, and of all steps if it is known. */
  private number(ref: StepRef): string {
    const total = this.count === null ? null : String(this.count);
    const number = this.stepNumber(ref);
    const text = total === null ? number : `${number.padStart(total.length)}/${total}`;
    this.width = Math.max(this.width, total === null ? NUMBER_COLUMNS : 0, text.length);
    return text.padEnd(this.width);
  }
}

/** The path of a step in the workflow, e.g. `3[2]/1`. */
const pathOf = ({ step, path }: StepRef) => (path === undefined ? String(step + 1) : clean(path));

/** The line of the current activity, with its duration from two seconds on. */
export function activityLine({ text, since }: { text: string; since: string }, now: Date): string {
  const seconds = secondsBetween(since, now);
  return seconds < 2 ? text : `${text}  ${duration(Math.floor(seconds)).replace('.0 s', ' s')}`;
}
