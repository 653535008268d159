/// <reference lib="dom" />
import type { HitReport, HitResult } from './hit-result.ts';

/** An input that the interceptor of one document expects. */
export interface Armed {
  readonly id: number;
  readonly input: string;
  /** Null if the target is in another document. */
  readonly target: Element | null;
  readonly name: string | null;
  readonly armedAt: number;
  result: HitResult | null;
  /** Clicks that reached the target, by type. */
  readonly clicks: Map<string, number>;
  /** Press events whose dispatch has not ended. */
  readonly openParts: Set<string>;
  hasActed: boolean;
  isHandled: boolean;
  /** True if a later press would hit another element before any click reached the target. Its events are stopped. */
  isLost: boolean;
  /** Destination of a text so far. */
  readonly text: {
    accepted: number;
    canceled: number;
    last: Event | null;
    readonly parts: { readonly field: HTMLInputElement; readonly isLimited: boolean }[];
  };
}

/** Arms the interceptor for an element; null for an element in another document. */
export function expectInput(id: number, input: string, target: Element | null, name: string | null): Armed {
  return {
    ...{ id, input, target, name, armedAt: performance.now(), result: null, clicks: new Map(), openParts: new Set() },
    ...{ hasActed: false, isHandled: false, isLost: false },
    text: { accepted: 0, canceled: 0, last: null, parts: [] },
  };
}

/** Functions that the parts of an interceptor share. They run in its isolated world. */
export interface InterceptorTools {
  /** True if the result of an input that began then is still awaited. */
  isRecent(since: number): boolean;
  /** Keeps an event from the page. */
  stop(event: Event): void;
  report(answer: HitReport): void;
  describeNode(node: EventTarget | undefined): string;
  /** Reports a hit in a document that expects no input, with its frame; null for a move into a frame. */
  hitInOtherDocument(event: Event, isPress: boolean): HitResult | null;
}
