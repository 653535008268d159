import type { CallCost } from '@pilothouse/contract/agent/agent.schema';
import { type AgentThinking, MAX_THOUGHT } from '@pilothouse/contract/events/agent.events';
import type { EventData, EventType } from '@pilothouse/contract/events/event-log.schema';
import type { PromptRef } from '@pilothouse/contract/model/model.schema';
import type { NativeRecord } from '@pilothouse/contract/model/native-turn.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { AgentState } from '@pilothouse/core/agent/agent-state';
import { activeNotes } from '@pilothouse/core/agent/prompts/prompt-sections';
import { partialReason, partialThought } from '@pilothouse/core/agent/dialects/answer-parts';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { EventBuffer } from '../../attempt/event-buffer.ts';
import type { AttemptLink } from '@pilothouse/infra-link';

/** Notes without a warning. */
const infoNotes: ReadonlySet<string> = new Set([
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

/** Branch of a goal, and its path in the branch. */
export type BranchRef = Required<Pick<Ref, 'branch'>> & Pick<Ref, 'branchPath'>;

interface Thought {
  readonly prompt: PromptRef;
  readonly tier: Exclude<Tier, 'human'>;
  readonly thought: string;
  /** Titles of the planned actions. */
  readonly titles: string[];
  /** Expected result of the turn. */
  readonly expects?: EventData<'agent.turn'>['expects'];
  readonly subGoals?: string | undefined;
  /** The turn with a computer tool, if it is stored. */
  readonly native?: NativeRecord | undefined;
  /** Cost of the model call that cached actions replace. */
  readonly replacedCall?: CallCost;
}

/** Emits the thoughts, actions and notes of an agent as events of its step. */
export class AgentEventEmitter {
  private readonly position: StepPosition;
  private readonly events: Pick<EventBuffer, 'add'>;
  private readonly branch: BranchRef | undefined;
  private emittedNotes: number;

  /** @param emittedNotes notes of earlier attempts */
  constructor(position: StepPosition, events: Pick<EventBuffer, 'add'>, emittedNotes: number, branch?: BranchRef) {
    this.position = position;
    this.branch = branch;
    this.events = events;
    this.emittedNotes = emittedNotes;
  }

  emit<Type extends AgentEvent>(
    type: Type,
    message: string,
    data: Omit<EventData<Type>, keyof Ref>,
    turn: number,
    level?: 'warn',
  ): void {
    this.add(type, message, { ...this.ref(turn), ...data }, level);
  }

  /** Emits the thought of the next turn. A plan belongs to the current turn. Tier `replay`: cached actions. */
  emitThought(
    state: AgentState,
    { prompt, tier, thought, titles, expects, subGoals, native, replacedCall }: Thought,
    message: string,
  ): void {
    const { current } = state.page;
    const page = current && { url: current.url, title: current.title };
    const source = tier === 'replay' ? { source: 'cache' as const, ...(replacedCall && { replacedCall }) } : {};
    const notes = tier === 'replay' ? 0 : activeNotes(state).length;
    const optional = {
      ...(expects && { expects }),
      ...(subGoals !== undefined && { subGoals }),
      ...(native && { native }),
      ...(notes > 0 && { notes }),
    };
    const data = { thought, plannedActions: titles, prompt, tier, page, ...source, ...optional };
    this.emit('agent.turn', message, data, state.counters.turns + (tier === 'replan' ? 0 : 1));
  }

  emitNewNotes({ history: { notes } }: AgentState): void {
    for (const { kind, turn, note, newlyMet, question, isGoalMet } of notes.slice(this.emittedNotes)) {
      const level = infoNotes.has(kind) ? 'info' : 'warn';
      const data = {
        ...this.ref(turn),
        ...{ kind, note: ellipsize(note, MAX_THOUGHT) },
        ...(newlyMet && { newlyMet }),
        ...(question !== undefined && { question: ellipsize(question, MAX_THOUGHT) }),
        ...(isGoalMet !== undefined && { isGoalMet }),
      };
      this.add('agent.note', note, data, level);
    }
    this.emittedNotes = notes.length;
  }

  private add(type: AgentEvent, message: string, data: object, level?: 'info' | 'warn'): void {
    const prefixed = this.branch ? `${this.branch.branch}: ${message}` : message;
    this.events.add(type, prefixed, data as never, level);
  }

  private ref(turn: number): Ref {
    return { ...stepRef(this.position), id: this.position.step.id ?? null, turn, ...this.branch };
  }
}

export interface ThinkingContext {
  readonly position: StepPosition;
  /** Set for a goal in a branch of the step. Several branches may stream at once. */
  readonly branch?: BranchRef;
  readonly link: Pick<AttemptLink, 'sendThinking'>;
  readonly masker: Pick<Masker, 'partialText'>;
}

/**
 * Sends the text of a model to viewers while the model writes it, without secrets and without the beginning of a secret.
 * @param subject set unless the model decides the next turn
 */
export const streamThinking =
  (turn: number, { position, branch, link, masker }: ThinkingContext, subject?: AgentThinking['subject']) =>
  (text: string): void => {
    // A reason is part of JSON, which may escape a secret.
    const visible = ellipsize(
      subject ? masker.partialText(partialReason(text)) : partialThought(masker.partialText(text)),
      MAX_THOUGHT,
    );
    if (visible !== '')
      link.sendThinking({ step: position.number, turn, ...branch, ...(subject && { subject }), text: visible });
  };
