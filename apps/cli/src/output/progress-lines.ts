import { eventData, type EventData, type EventType, type RunEvent } from '@pilothouse/contract';
import { questionLines } from './question-text.ts';
import type { Style } from './text-style.ts';
import { between, duration } from './time-text.ts';
import { clean, pad, short } from './sanitize-text.ts';
import { inShort } from './value-text.ts';

/** What there is to say about an event: lines that stay, and what is at work now. */
export interface Said {
  readonly lines: readonly string[];
  /** What is at work, since when (an instant); null: nothing; undefined: as before. */
  readonly atWork?: { readonly text: string; readonly since: string } | null;
}

/** Where a step stands. */
type Placed = Pick<EventData<'step.acted'>, 'step' | 'at'>;

/** The step that a run failed at. */
export interface FailedStep {
  readonly step: number;
  /** Where it stands in the workflow. */
  readonly at: string;
  readonly title: string;
}

const NOTHING: Said = { lines: [] };
const TITLE = 44;

/** The data of an event, or null when a newer API says it in a form that is not known here. */
function read<Type extends EventType>(type: Type, event: RunEvent): EventData<Type> | null {
  const parsed = eventData[type].safeParse(event.data);
  return parsed.success ? (parsed.data as EventData<Type>) : null;
}

/** Tells of a run, event by event: one line for each step, and what else a person wants to know. */
export class Progress {
  private readonly known = new Map<number, { readonly at: string; readonly title: string }>();
  private failedAt: FailedStep | null = null;
  private count: number | null = null;
  /** Of the widest number so far: what comes stands under it. */
  private width = 0;
  private readonly style: Style;

  constructor(style: Style) {
    this.style = style;
  }

  /** Steps that make the run; null where control flow decides how many there are. */
  get stepCount(): number | null {
    return this.count;
  }

  /** The step that the run failed at, once it has. */
  get failure(): FailedStep | null {
    return this.failedAt;
  }

  /** What to say about this event. Events come in order, each once. */
  tell(event: RunEvent): Said {
    switch (event.type) {
      case 'run.queued':
        this.count = read('run.queued', event)?.steps ?? null;
        return { lines: [], atWork: { text: 'waiting for a worker', since: event.at } };
      case 'run.assigned':
        return this.assigned(event);
      case 'run.requeued':
        return {
          lines: [this.style.yellow(`↻ ${clean(event.message)}: back in the queue, for another worker`)],
          atWork: { text: 'waiting for another worker', since: event.at },
        };
      case 'run.slot_released':
        return { lines: [this.style.dim(`· ${clean(event.message)}`)] };
      case 'run.cancelling':
        return { lines: [this.style.yellow('■ Cancelling')], atWork: { text: 'stopping', since: event.at } };
      case 'run.awaiting_user':
        return this.asks(event);
      case 'run.resumed':
        return { lines: [this.style.dim(`· ${clean(event.message)}`)], atWork: { text: 'going on', since: event.at } };
      case 'step.acting':
        return this.acting(event);
      case 'step.acted':
        return this.acted(event);
      case 'step.failed':
        return this.failed(event);
      case 'step.skipped':
        return this.skipped(event);
      case 'run.failed':
        return this.ended(event);
      case 'run.completed':
      case 'run.cancelled':
        return { lines: [], atWork: null };
      case 'branch.acting':
        return this.branchActing(event);
      case 'agent.acting':
        return this.agentActing(event);
      case 'agent.acted':
        return this.agentActed(event);
      case 'wheel.taken':
      case 'wheel.returned':
      case 'human.acted':
      case 'dialog.opened':
      case 'dialog.closed':
        return { lines: [this.style.dim(`· ${short(clean(event.message), 120)}`)] };
      case 'step.healed':
      case 'agent.noted':
        return event.level === 'warn'
          ? { lines: [this.style.yellow(`  ! ${short(clean(event.message), 120)}`)] }
          : NOTHING;
      case 'log':
        return event.level === 'warn' || event.level === 'error'
          ? { lines: [this.style.yellow(`! ${clean(event.message)}`)] }
          : NOTHING;
      default:
        return NOTHING;
    }
  }

  private assigned(event: RunEvent): Said {
    const data = read('run.assigned', event);
    const worker = data ? clean(data.worker) : 'a worker';
    return { lines: [this.style.dim(`· on ${worker}`)], atWork: { text: `${worker} is opening`, since: event.at } };
  }

  private asks(event: RunEvent): Said {
    const data = read('run.awaiting_user', event);
    const lines = data
      ? questionLines(data, event.run.slice(0, 13), this.style)
      : [this.style.yellow(`? ${clean(event.message)}`)];
    return { lines, atWork: { text: 'waiting for a person', since: event.at } };
  }

  private acting(event: RunEvent): Said {
    const data = read('step.acting', event);
    if (!data) return NOTHING;
    const title = clean(data.title);
    this.known.set(data.step, { at: placeOf(data), title });
    return { lines: [], atWork: { text: `${this.number(data)}  ${title}`, since: event.at } };
  }

  private acted(event: RunEvent): Said {
    const data = read('step.acted', event);
    if (!data) return NOTHING;
    const value = data.value === undefined ? '' : this.style.dim(inShort(data.value));
    return { lines: [this.step(this.style.green('✓'), data, data.ms, value)], atWork: null };
  }

  private branchActing(event: RunEvent): Said {
    const data = read('branch.acting', event);
    return data
      ? { lines: [], atWork: { text: `  ${clean(data.branch)}  ${clean(data.title)}`, since: event.at } }
      : NOTHING;
  }

  private agentActing(event: RunEvent): Said {
    const data = read('agent.acting', event);
    return data ? { lines: [], atWork: { text: `  ${data.turn}  ${clean(data.title)}`, since: event.at } } : NOTHING;
  }

  private agentActed(event: RunEvent): Said {
    const data = read('agent.acted', event);
    if (!data) return NOTHING;
    const line = `  ${data.error ? this.style.yellow('✗') : this.style.dim('·')} ${short(clean(event.message), 100)}`;
    return { lines: [line], atWork: { text: 'thinking', since: event.at } };
  }

  private failed(event: RunEvent): Said {
    const data = read('step.failed', event);
    if (!data) return NOTHING;
    const [mark, paint] = data.error.code === 'RUN_CANCELLED' ? ['■', this.style.yellow] : ['✗', this.style.red];
    return { lines: [this.step(paint(mark), data, data.ms, paint(data.error.code))], atWork: null };
  }

  private skipped(event: RunEvent): Said {
    const data = read('step.skipped', event);
    if (!data) return NOTHING;
    return { lines: [this.step(this.style.dim('–'), data, null, this.style.dim(clean(data.reason)))] };
  }

  private ended(event: RunEvent): Said {
    const step = read('run.failed', event)?.step ?? null;
    const at = step === null ? '' : (this.known.get(step)?.at ?? placeOf({ step }));
    this.failedAt = step === null ? null : { step, at, title: this.title(step) };
    return { lines: [], atWork: null };
  }

  private title(step: number): string {
    return this.known.get(step)?.title ?? `Step ${step + 1}`;
  }

  private step(mark: string, place: Placed, ms: number | null, more: string): string {
    const title = pad(short(this.title(place.step), TITLE), TITLE);
    const took = pad(ms === null ? '' : duration(ms / 1000), 9, 'right');
    return `${mark} ${this.style.dim(this.number(place))}  ${title} ${took}  ${more}`.trimEnd();
  }

  /** Which of all steps it is; where nobody knows how many there will be, where it stands in the workflow. */
  private number(place: Placed): string {
    const all = this.count === null || place.at !== undefined ? null : String(this.count);
    const at = placeOf(place);
    const text = all === null ? at : `${at.padStart(all.length)}/${all}`;
    this.width = Math.max(this.width, text.length);
    return text.padEnd(this.width);
  }
}

/** Where a step stands in the workflow, e.g. `3[2]/1`. */
const placeOf = ({ step, at }: Placed) => (at === undefined ? String(step + 1) : clean(at));

/** The line of what is at work: its text, and its seconds when there are some. */
export function atWorkLine({ text, since }: { text: string; since: string }, now: Date): string {
  const seconds = between(since, now);
  return seconds < 2 ? text : `${text}  ${duration(Math.floor(seconds)).replace('.0 s', ' s')}`;
}
