import type {
  Action,
  ErrorView,
  Expectation,
  ApprovalEffect,
  Tier,
  Json,
  Observation,
  ValueSchema,
} from '@pilothouse/contract';
import type { HostRule } from '../egress/host-rules.ts';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import type { Anchors } from '../ports/surface.port.ts';
import type { FileFacts } from './file-inputs.ts';
import type { ApprovalNeeded, ApprovalPolicy } from './approval/approval-policy.ts';
import type { GoalClaim, CanvasTarget, Entered, PlannedAction, ParsedAnswer } from './agent-protocol.ts';
import type { ViewportPoint } from './page-queries.ts';
import type { GoalVerdict } from './goal-verification.ts';

/** What the agent is to reach, and within which bounds. */
export interface AgentGoal {
  /** With its templates replaced; secrets stand by their name. */
  readonly text: string;
  /** What the answer has to match; null: a text. */
  readonly outputSchema: ValueSchema | null;
  /** Texts that the page shows once it is met. */
  readonly texts: readonly string[];
  /** What else is to be true of the page then, in words; null: nothing is said. */
  readonly condition: string | null;
  readonly maxTurns: number;
  /** What somebody knows about sites: told only where one of them is in front. */
  readonly siteNotes: readonly SiteNote[];
  readonly limits: Pick<ApprovalPolicy, 'autoApprove' | 'hosts' | 'secrets'>;
  /** Files that the goal names; left out: none is known. */
  readonly files?: readonly FileFacts[];
}

/** What to know about the sites of a rule. */
export interface SiteNote {
  readonly site: HostRule;
  readonly note: string;
}

/** How much of the page is looked at: where it is; what is in view; that and the text of the whole page; a picture. */
export type ObservationDepth = 'anchors' | 'view' | 'page' | 'picture';

/** What a turn that is done was to lead to, and whether the page was waited for. */
export interface PendingExpectation extends Expectation {
  readonly waited: boolean;
}

/** A picture that was looked at. */
export interface ScreenshotFrame {
  readonly picture: ModelScreenshot;
  /** Turns that there were before it. */
  readonly turn: number;
}

/** What to do when nothing led on: the same again, without what was tried, another way, or wait; or a person has to say; or it ends here. */
export interface ReplanDecision {
  readonly decision: 'retry' | 'skip' | 'replan' | 'wait' | 'ask' | 'abort';
  readonly why: string;
  /** The way from here, in words; empty: as it was. */
  readonly plan: string;
  /** Of `wait`: how long. */
  readonly seconds?: number;
}

/** One turn: what the model thought, and what came of it. */
export interface AgentTurn {
  /** From 1. */
  readonly number: number;
  /** Title of the page it was on. */
  readonly where: string;
  readonly thought: string;
  /** What was done, a line each. */
  readonly did: readonly string[];
}

export type AgentNoteKind =
  | 'problem'
  | 'repeated_turn'
  | 'page_changed'
  | 'approval_needed'
  | 'unverified'
  | 'verified'
  | 'approval_decision'
  | 'answer'
  | 'human_asked'
  /** What a picture is said to show. */
  | 'screenshot_described'
  | 'data_stored'
  /** A higher tier of the ladder. */
  | 'escalated'
  | 'replanned';

/** Something that the agent is told besides the page. */
export interface AgentNote {
  readonly kind: AgentNoteKind;
  readonly turn: number;
  readonly note: string;
  /** What of an expectation is to be seen that was not before the turn. */
  readonly held?: Expectation;
  /** Of an answer: what the agent asked. */
  readonly question?: string;
}

/** What a person is asked. */
export type AgentQuestion =
  | { readonly kind: 'confirm'; readonly guarded: ApprovalNeeded }
  | { readonly kind: 'words'; readonly question: string };

export type AgentPhase =
  | { readonly kind: 'look' }
  /** What the turn was to lead to may still come. */
  | { readonly kind: 'await'; readonly level: 'anchors' | 'page' }
  /** The page changed, and does not say whether the turn did what it was to do. */
  | { readonly kind: 'judge'; readonly detail: string }
  /** The next move of the turn, or a new turn. */
  | { readonly kind: 'choose' }
  /** @property early nobody claimed it: the page looks as if the goal were met */
  | { readonly kind: 'check'; readonly claim: GoalClaim; readonly early: boolean }
  | { readonly kind: 'doubt'; readonly claim: GoalClaim; readonly detail: string }
  | { readonly kind: 'plan'; readonly why: string }
  /** What lies at a place of the next move is not known from the page. */
  | { readonly kind: 'examine'; readonly place: ViewportPoint }
  | { readonly kind: 'asking'; readonly question: AgentQuestion }
  | { readonly kind: 'done'; readonly answer: Json }
  | { readonly kind: 'failed'; readonly reason: string };

/** Where the agent is: a value that never changes. */
export interface AgentState {
  readonly goal: AgentGoal;
  readonly phase: AgentPhase;
  /** How many turns there were. */
  readonly turn: number;
  /** How much is looked at where the list is enough. */
  readonly level: 'view' | 'page';
  /** Who thinks next: a model that reads the list, or one that sees a picture. */
  readonly tier: 'text' | 'vision';
  /** The highest tier it took so far. */
  readonly highest: Tier;
  /** False once it is known that no model that sees is set. */
  readonly sees: boolean;
  /** The pictures that were seen last. */
  readonly frames: readonly ScreenshotFrame[];
  /** Turns by a picture since something last led on. */
  readonly visions: number;
  /** How often it was planned anew since a person last answered. */
  readonly plans: number;
  /** The way that was planned; null: none was. */
  readonly plan: string | null;
  /** Something was done since the last turn began, without an error. */
  readonly worked: boolean;
  /** What was claimed last and not believed. */
  readonly claimed: GoalClaim | null;
  /** The page as it was seen last. */
  readonly seen: Observation | null;
  /** Pages that turns were thought about, each document as it was last, the newest last: the last one is that of the last turn. */
  readonly earlier: readonly Observation[];
  /** What the last turn was to lead to, while nobody knows whether it did. */
  readonly expects: PendingExpectation | null;
  /** What is done of the goal and what is next, as the model said last; null: it never did. */
  readonly subGoals: string | null;
  /** The last look found the page as it was before. */
  readonly still: boolean;
  /** What is left of the turn. */
  readonly queue: readonly PlannedAction[];
  /** What to see first of the turn: whether something came to lie over the page; null: nothing was in the way. */
  readonly over: OverlayCheck | null;
  /** What a person allowed the next move to do; null: nothing. */
  readonly allowed: string | null;
  /** What a person allowed last, until a page has asked to confirm it; null: nothing. */
  readonly granted: Granted | null;
  /** Actions so far. */
  readonly actions: number;
  readonly turns: readonly AgentTurn[];
  readonly notes: readonly AgentNote[];
  /** Failures since something last led on: was done, and changed the page. */
  readonly failures: number;
  /** How often the same was wanted again on the same page. */
  readonly loops: number;
  /** Pages with what was done on them. */
  readonly tried: ReadonlySet<string>;
  /** Origin of the address with which it began, before redirects; null: it has none yet. */
  readonly home: string | null;
  /** Origins that secrets may be typed into. */
  readonly trusted: ReadonlySet<string>;
  /** Documents into which a secret was typed, by their count. */
  readonly secretDocuments: ReadonlySet<number>;
  /** What was entered, and the page is to have when the goal is met. */
  readonly entered: readonly Entered[];
  /** Questions to people so far. */
  readonly asked: number;
}

/** An action that a person allowed. */
export interface Granted {
  readonly kind: ApprovalEffect;
  readonly action: Action;
  /** The page on which it was allowed. */
  readonly before: Observation;
}

/** A turn in which something may have come to lie over the page. */
export interface OverlayCheck {
  /** The page as the turn knew it. */
  readonly before: Observation;
  /** What is left of the turn, where it was given up because something was in the way. */
  readonly left: readonly PlannedAction[];
  /** Numbers of what was used to close something. */
  readonly closed: readonly number[];
}

/** What happened to the agent. */
export type AgentInput =
  /** @property picture of the same moment, where one was asked for */
  | { readonly kind: 'seen'; readonly observation: Observation; readonly picture?: ModelScreenshot }
  /**
   * @property remembered it is what worked before: no model was asked
   * @property late the page was looked at so long ago that it may be another
   */
  | { readonly kind: 'thought'; readonly reading: ParsedAnswer; readonly remembered?: true; readonly late?: boolean }
  /** What was looked at is where the surface is, and no more. */
  | { readonly kind: 'placed'; readonly where: Anchors }
  /** The model gave no answer that can be used. */
  | { readonly kind: 'no-thought'; readonly why: string }
  /** No model that sees is set, or it does not take pictures. */
  | { readonly kind: 'blind'; readonly why: string }
  | { readonly kind: 'analysed'; readonly answer: string }
  | { readonly kind: 'planned'; readonly replan: ReplanDecision }
  /** @property drawn null: nobody could say what it is */
  | { readonly kind: 'examined'; readonly drawn: CanvasTarget | null }
  /**
   * @property where the surface is afterwards; null: it did not say
   * @property origin where a secret was to be typed and was not
   * @property dialog what a dialog asks that was to be accepted and was not, and the text that it was to get
   */
  | {
      readonly kind: 'acted';
      readonly error: Pick<ErrorView, 'code' | 'message'> | null;
      readonly where?: Anchors | null;
      readonly origin?: string;
      readonly dialog?: { readonly question: string; readonly text: string | null };
    }
  | { readonly kind: 'checked'; readonly verdict: GoalVerdict }
  /** What a model says of a turn. */
  | { readonly kind: 'judged'; readonly verdict: GoalVerdict }
  | {
      readonly kind: 'answered';
      readonly choice: 'continue' | 'decline' | 'fail';
      readonly text: string | null;
      readonly by: string;
    };

/** What the agent does next. */
export type AgentCommand =
  /** @property until the page is looked at until it shows this, as long as something is on its way; left out: once */
  | { readonly kind: 'look'; readonly level: ObservationDepth; readonly until?: Expectation }
  | { readonly kind: 'think'; readonly tier: 'text' | 'vision' }
  /** To ask a model, by pictures of before the turn and of now, whether it did what it was to do. */
  | { readonly kind: 'judge'; readonly expects: Expectation; readonly detail: string }
  /** To ask about a picture of the page. @property question null: to have the whole of it described */
  | { readonly kind: 'analyse'; readonly question: string | null }
  /** To ask which way to go on, nothing having led on. */
  | { readonly kind: 'plan'; readonly why: string }
  /** To ask apart what lies at a place. */
  | { readonly kind: 'examine'; readonly place: ViewportPoint }
  | { readonly kind: 'act'; readonly action: Action; readonly n: number; readonly title: string }
  /** To see whether a claim holds, by the page. */
  | { readonly kind: 'check'; readonly claim: GoalClaim; readonly early: boolean }
  /** To ask a model whether a claim holds. */
  | { readonly kind: 'doubt'; readonly claim: GoalClaim; readonly detail: string }
  | { readonly kind: 'ask'; readonly question: AgentQuestion; readonly n: number; readonly reason: string }
  | { readonly kind: 'done'; readonly answer: Json }
  | { readonly kind: 'fail'; readonly reason: string };
