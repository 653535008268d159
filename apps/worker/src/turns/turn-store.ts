import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { isUnverified, turnRecordOf, type TurnDraft, type TurnOrigin } from '@pilothouse/core/learning/turn-draft';
import { toCredentialPlaceholders } from '@pilothouse/core/workflow/secret-placeholders';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import type { ArtifactUploader } from '../artifacts/artifact-uploader.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { TurnFiles, type TurnImage } from './turn-files.ts';

/** Maximum number of turns that wait for encoding and upload. Each has a screenshot in memory. */
const MAX_WAITING_TURNS = 8;

/** A turn that waits, with its screenshot. */
interface WaitingTurn {
  readonly kind: 'turn';
  readonly group: TurnGroup;
  readonly draft: TurnDraft;
  /** Resolves to null if there is no screenshot. */
  image(): Promise<TurnImage | null>;
}

/** The end of a goal: its buffered records are uploaded or deleted. */
interface GroupEnd {
  readonly kind: 'end';
  readonly group: TurnGroup;
  readonly isKept: boolean;
}

export type TurnStoreBase = Pick<
  AttemptBase,
  'assignment' | 'link' | 'clock' | 'timers' | 'events' | 'metrics' | 'masker' | 'log'
>;

/** The records of one goal, or of one manual control. */
export interface TurnGroup {
  readonly origin: TurnOrigin;
  /** True if records wait for the end of the group, which uploads or deletes them. */
  readonly isBuffered: boolean;
  /** Numbers of the buffered records. */
  readonly buffered: number[];
  /** The last record; null: none was built. */
  last: TurnRecord | null;
}

/**
 * Encodes and uploads the records of turns in the background, one after the other. A full queue drops the oldest waiting
 * record. With `failures`, records of a goal wait in the folder of the attempt until the goal ends.
 */
export class TurnStore {
  private readonly base: TurnStoreBase;
  private readonly files: TurnFiles;
  private readonly queue: (WaitingTurn | GroupEnd)[] = [];
  private readonly stop = new AbortController();
  private readonly lastTurns = new Map<number, number>();
  private running: Promise<void> | null = null;
  private order = 0;
  private droppedCount = 0;

  /** @param workspace returns the folder of the attempt */
  constructor(base: TurnStoreBase, uploader: Pick<ArtifactUploader, 'upload'>, workspace: () => string) {
    this.base = base;
    this.files = new TurnFiles(uploader, workspace);
  }

  /** @param isAlwaysKept true: the records are stored for each result of the goal */
  startGroup(origin: Omit<TurnOrigin, 'run' | 'attempt' | 'surface'>, isAlwaysKept = false): TurnGroup {
    const { run, epoch, definition, recordTurns } = this.base.assignment;
    return {
      origin: { run, attempt: epoch, surface: definition.surface ?? 'browser', ...origin },
      isBuffered: recordTurns === 'failures' && !isAlwaysKept,
      buffered: [],
      last: null,
    };
  }

  /** Position and time of a new record. */
  startTurn(step: number, turn: number): Pick<TurnDraft, 'order' | 'at' | 'turn'> {
    this.order += 1;
    this.lastTurns.set(step, turn);
    return { order: this.order, at: this.base.clock.now().toISOString(), turn };
  }

  /** Number of the last turn of a step; 0: none. */
  lastTurnOf(step: number): number {
    return this.lastTurns.get(step) ?? 0;
  }

  add(group: TurnGroup, draft: TurnDraft, image: WaitingTurn['image']): void {
    if (this.stop.signal.aborted) return;
    const waiting = this.queue.filter(({ kind }) => kind === 'turn');
    const [oldest] = waiting;
    if (oldest && waiting.length >= MAX_WAITING_TURNS) {
      this.queue.splice(this.queue.indexOf(oldest), 1);
      this.countDropped(1);
    }
    this.push({ kind: 'turn', group, draft, image });
  }

  /** Ends a group. @param hasFailed its goal failed, or a person took over */
  endGroup(group: TurnGroup, hasFailed: boolean): void {
    if (group.isBuffered) this.push({ kind: 'end', group, isKept: hasFailed });
  }

  get isBusy(): boolean {
    return this.running !== null;
  }

  /** Waits until all records are stored. Gives up the remaining ones after `timeoutMs`. */
  async finish(timeoutMs: number): Promise<void> {
    if (this.running && !(await settlesWithin(this.running, timeoutMs, this.base.timers))) this.abandon();
    await this.running;
  }

  /** Reports dropped records as an event. */
  reportDropped(): void {
    if (this.droppedCount === 0) return;
    const message = `${this.droppedCount} records of turns were dropped: encoding and upload were slower than the agent`;
    this.base.events.add('run.log', message, { facts: { dropped: this.droppedCount } }, 'warn');
    this.droppedCount = 0;
  }

  /** Gives up all records that are not stored. */
  abandon(): void {
    this.stop.abort(new Error('The attempt has ended'));
    this.countDropped(this.queue.splice(0).filter(({ kind }) => kind === 'turn').length);
  }

  private push(item: WaitingTurn | GroupEnd): void {
    if (this.stop.signal.aborted) return;
    this.queue.push(item);
    this.running ??= this.processQueue();
  }

  private async processQueue(): Promise<void> {
    for (let item = this.queue.shift(); item; item = this.queue.shift()) {
      if (item.kind === 'end') await this.processEnd(item);
      else await this.processTurn(item).catch((error: unknown) => this.countFailed(error));
    }
    // In the same tick as the last look at the queue, so that no item is left.
    this.running = null;
  }

  private async processTurn({ group, draft, image: render }: WaitingTurn): Promise<void> {
    const image = await render().catch(() => null);
    const record = turnRecordSchema.parse(this.mask(turnRecordOf(draft, group.origin)));
    group.last = record;
    if (!group.isBuffered) {
      await this.files.upload(record, image, this.signal());
      this.count('stored');
    } else if (await this.files.buffer(record, image)) group.buffered.push(record.order);
    else this.countDropped(1);
  }

  private async processEnd({ group, isKept }: GroupEnd): Promise<void> {
    const isUploaded = isKept || (group.last !== null && isUnverified(group.last));
    for (const order of group.buffered.splice(0))
      await this.processBuffered(order, isUploaded).catch((error: unknown) => this.countFailed(error));
  }

  private async processBuffered(order: number, isUploaded: boolean): Promise<void> {
    const buffered = await this.files.takeBuffered(order);
    if (!isUploaded || !buffered) return;
    // Secrets may have become known meanwhile.
    await this.files.upload(turnRecordSchema.parse(this.mask(buffered.record)), buffered.image, this.signal());
    this.count('stored');
  }

  private countFailed(error: unknown): void {
    this.base.log.warn({ error: String(error) }, 'turn not recorded');
    this.count('failed');
  }

  private signal(): AbortSignal {
    return AbortSignal.any([this.stop.signal, this.base.link.lossSignal]);
  }

  private mask(record: TurnRecord): Json {
    const { masker, assignment } = this.base;
    const masked = masker.strings(record as unknown as Json) as unknown as TurnRecord;
    const { input } = masked;
    // As in the request to the model.
    const text = input && { ...input, text: toCredentialPlaceholders(input.text, assignment.secrets) };
    return { ...masked, input: text } as unknown as Json;
  }

  private countDropped(count: number): void {
    this.droppedCount += count;
    if (count > 0) this.count('dropped', count);
  }

  private count(result: 'stored' | 'dropped' | 'failed', increment = 1): void {
    this.base.metrics.count('worker_turn_records_total', { result }, increment);
  }
}
