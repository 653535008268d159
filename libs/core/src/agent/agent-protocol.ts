import { type Action, type Expectation, type Json, type Observation, assertNever } from '@pilothouse/contract';
import { describeElement } from '../observation/observation-text.ts';
import { actionSummary } from '../workflow/step-titles.ts';
import { actionPoint } from './page-queries.ts';

/** What the agent says it has come to, and how that can be seen. */
export interface GoalClaim {
  /** What the goal was asked for; null: nothing. */
  readonly answer: Json;
  /** What the title or the address of the page has in it now; null: it did not say. */
  readonly anchor: string | null;
  /** Texts that the page shows because the goal is met. */
  readonly indicators: readonly string[];
}

/** What a click on something drawn may do. */
export const canvasEffects = ['pay', 'delete', 'send', 'none'] as const;

/** What lies at a drawn place, in words of a model that was asked for that alone. */
export interface CanvasTarget {
  readonly what: string;
  readonly kind: (typeof canvasEffects)[number];
}

/** One thing that the agent wants, whichever way a model wrote it. */
export type PlannedAction =
  /**
   * @property what what is there in words of the model, where it saw a picture; the list may not have it
   * @property allowed a person allowed it
   * @property drawn the same in words of one that was asked for that alone
   * @property expects what is to be seen when it, as the last of its turn, is done
   */
  | {
      readonly kind: 'act';
      readonly action: Action;
      readonly what?: string;
      readonly drawn?: CanvasTarget;
      readonly allowed?: true;
      readonly expects?: Expectation | undefined;
    }
  /** To see the text of the whole page. */
  | { readonly kind: 'read' }
  /** To act by a picture of the page. */
  | { readonly kind: 'see' }
  /** To ask about the picture. @property question null: to have the whole of it described */
  | { readonly kind: 'analyse'; readonly question: string | null }
  /** To keep what was found for later turns. */
  | { readonly kind: 'store'; readonly key: string; readonly value: string }
  /** The goal cannot be reached from here, as it seems: the way there has to be another. */
  | { readonly kind: 'replan'; readonly reason: string }
  | { readonly kind: 'done'; readonly claim: GoalClaim }
  | { readonly kind: 'fail'; readonly reason: string }
  | { readonly kind: 'ask'; readonly question: string };

/** What a model said, read. What was not understood is a problem and never an action. */
export interface ParsedAnswer {
  readonly thought: string;
  readonly moves: readonly PlannedAction[];
  /** What is done of the goal and what is next, in words of the model; left out: it did not say. */
  readonly subGoals?: string | undefined;
  /** Sentences for the model: what of its answer could not be used. */
  readonly problems: readonly string[];
}

/** Something that an action entered. */
export interface Entered {
  readonly document: number;
  /** Number of the element; null: where the caret was. */
  readonly index: number | null;
  readonly value: { readonly text: string } | { readonly checked: boolean };
  /** A key or a click came after it, which may have sent it and emptied the field. */
  readonly isFollowed: boolean;
}

/** Most actions of one turn. */
export const MAX_ACTIONS_PER_TURN = 8;

/** What the moves of a turn are to lead to, as the last call that says it has it. */
export const turnExpectation = (moves: readonly PlannedAction[]): Expectation | undefined =>
  moves.map((move) => (move.kind === 'act' ? move.expects : undefined)).findLast((one) => one !== undefined);

/** An action for people, its element by what it is called on the page. */
export function actionTitle(action: Action, seen: Observation | null): string {
  return actionSummary(action).replace(/\belement (\d+)\b/g, (whole, index: string) => {
    const element = seen?.elements.find((one) => one.index === Number(index));
    return element ? `[${index}] ${describeElement(element)}` : whole;
  });
}

/** A move in a line. */
export function plannedActionTitle(move: PlannedAction, seen: Observation | null): string {
  switch (move.kind) {
    case 'act':
      return `${actionTitle(move.action, seen)}${move.what && actionPoint(move.action) ? ` (“${move.what}”)` : ''}`;
    case 'read':
      return 'Read the whole page';
    case 'see':
      return 'Look at a picture of the page';
    case 'analyse':
      return move.question === null ? 'Have a picture described' : `Look at a picture: ${move.question}`;
    case 'store':
      return `Keep ${move.key}`;
    case 'replan':
      return `Look for another way: ${move.reason}`;
    case 'done':
      return 'Say that the goal is met';
    case 'fail':
      return `Give up: ${move.reason}`;
    case 'ask':
      return `Ask: ${move.question}`;
    default:
      return assertNever(move);
  }
}
