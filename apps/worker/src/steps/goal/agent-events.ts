import {
  type AgentThinking,
  type EventData,
  type EventType,
  MAX_THOUGHT,
  type PromptRef,
  type Tier,
} from '@pilothouse/contract';
import {
  type AgentState,
  type Masker,
  type StepPosition,
  ellipsize,
  partialReason,
  partialThought,
  stepRef,
} from '@pilothouse/core';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { AttemptLink } from '@pilothouse/infra-link';

/** Notes of what goes as it should. */
const informing: ReadonlySet<string> = new Set([
  'page_changed',
  'verified',
  'approval_decision',
  'answer',
  'screenshot_described',
  'data_stored',
  'escalated',
  'replanned',
]);

type AgentEvent = Extract<EventType, `agent.${string}`>;
type Ref = Pick<EventData<'agent.note'>, 'step' | 'path' | 'id' | 'turn' | 'branch' | 'branchPath'>;

/** Where a goal of a branch stands. */
export type BranchRef = Required<Pick<Ref, 'branch'>> & Pick<Ref, 'branchPath'>;

/** What a thought says besides its page. */
interface Thought {
  readonly prompt: PromptRef;
  readonly tier: Exclude<Tier, 'human'>;
  readonly thought: string;
  /** What is wanted, a line each. */
  readonly moves: string[];
  /** What the turn is to lead to. */
  readonly expects?: EventData<'agent.turn'>['expects'];
  readonly subGoals?: string | undefined;
}

/** Says what an agent thinks, does and notes, as events of its step. */
export class AgentEventEmitter {
  private readonly place: StepPosition;
  private readonly events: Pick<EventBuffer, 'add'>;
  private readonly branch: BranchRef | undefined;
  /** Notes that were told. */
  private told: number;

  /** @param told notes that are told already; @param branch in which the goal stands, if it does in one */
  constructor(place: StepPosition, events: Pick<EventBuffer, 'add'>, told: number, branch?: BranchRef) {
    this.place = place;
    this.branch = branch;
    this.events = events;
    this.told = told;
  }

  emit<Type extends AgentEvent>(
    type: Type,
    message: string,
    data: Omit<EventData<Type>, keyof Ref>,
    turn: number,
  ): void {
    const whole = { ...this.ref(turn), ...data };
    this.say(type, message, whole);
  }

  /** A thought of the next turn; a plan is one of this turn. Tier `replay`: what is remembered. */
  emitThought({ seen, turn }: AgentState, said: Thought, message: string): void {
    const { prompt, tier, thought, moves, expects, subGoals } = said;
    const page = seen && { url: seen.url, title: seen.title };
    const source = tier === 'replay' ? { source: 'cache' as const } : {};
    const told = { ...(expects && { expects }), ...(subGoals !== undefined && { subGoals }) };
    const data = { thought, plannedActions: moves, prompt, tier, page, ...source, ...told };
    this.emit('agent.turn', message, data, turn + (tier === 'replan' ? 0 : 1));
  }

  /** The notes that are new. */
  emitNewNotes({ notes }: AgentState): void {
    for (const { kind, turn, note, held, question } of notes.slice(this.told)) {
      const level = informing.has(kind) ? 'info' : 'warn';
      const data = {
        ...this.ref(turn),
        ...{ kind, note: ellipsize(note, MAX_THOUGHT) },
        ...(held && { newlyMet: held }),
        ...(question !== undefined && { question: ellipsize(question, MAX_THOUGHT) }),
      };
      this.say('agent.note', note, data, level);
    }
    this.told = notes.length;
  }

  private say(type: AgentEvent, message: string, data: object, level?: 'info' | 'warn'): void {
    const named = this.branch ? `${this.branch.branch}: ${message}` : message;
    this.events.add(type, named, data as never, level);
  }

  private ref(turn: number): Ref {
    return { ...stepRef(this.place), id: this.place.step.id ?? null, turn, ...this.branch };
  }
}

export interface ThinkingParts {
  readonly place: StepPosition;
  /** Of a goal in a branch of the step at this place: several may speak at once. */
  readonly branch?: BranchRef;
  readonly link: Pick<AttemptLink, 'sendThinking'>;
  readonly masker: Pick<Masker, 'begun'>;
}

/**
 * Tells who follows the run what the model says in a turn, while it says it: no secret, and not the beginning of one.
 * @param subject what is asked, when it is not what to do next
 */
export const streamThinking =
  (turn: number, { place, branch, link, masker }: ThinkingParts, subject?: AgentThinking['subject']) =>
  (text: string): void => {
    // A reason stands in JSON, in which a secret may be written otherwise.
    const shown = ellipsize(
      subject ? masker.begun(partialReason(text)) : partialThought(masker.begun(text)),
      MAX_THOUGHT,
    );
    if (shown !== '')
      link.sendThinking({ step: place.number, turn, ...branch, ...(subject && { subject }), text: shown });
  };
