import type { Timers } from '@pilothouse/core/time/timers';
import type { ScreenCapture } from '../x/screen-capture.ts';
import type { TypeResult } from '../session/session-protocol.ts';
import type { FieldReadback } from './field-readback.ts';

/** Share of the step for a window to show an effect of the keys that it has read, with limits in milliseconds. */
const EFFECT_SHARE = 0.25;
const MIN_EFFECT_MS = 1_500;
const MAX_EFFECT_MS = 5_000;

/** Milliseconds between two looks. */
const LOOK_INTERVAL_MS = 50;

/** A text that was typed into a window without a focused field. */
export interface FieldlessInput {
  readonly text: string;
  /** Monotonic milliseconds at which typing began. */
  readonly startMs: number;
  /** True if the window has confirmed that it read the keys. */
  readonly wasConsumed: boolean;
  /** Milliseconds that the step has left. */
  readonly timeoutMs: number;
}

/** Reads what a text has changed. */
export interface EffectReaders {
  readonly timers: Timers;
  readonly screen: Pick<ScreenCapture, 'unchangedMs'>;
  /** Reads the field that has the focus now; null: another program has the focus. */
  readField(): Promise<Pick<FieldReadback, 'readbackBeforeCaret'> | null>;
  /** @returns true if the window answers in time, after everything that it was sent before */
  hasReadKeys(): Promise<boolean>;
}

/**
 * Finds the effect of a text that was typed while no field had the focus. A cell, a file name or a shape opens its field with the first
 * key. A text that no field shows, and that changes nothing on the screen, was lost.
 * @returns the result with another readback; unchanged if the screen changed in an unknown way
 */
export async function withFieldlessEffect(
  { timers, screen, readField, hasReadKeys }: EffectReaders,
  { text, startMs, wasConsumed, timeoutMs }: FieldlessInput,
  result: TypeResult,
): Promise<TypeResult> {
  const endsAt = timers.monotonic() + Math.min(MAX_EFFECT_MS, Math.max(MIN_EFFECT_MS, timeoutMs * EFFECT_SHARE));
  const hasChanged = () => screen.unchangedMs < timers.monotonic() - startMs;
  while (!hasChanged() && timers.monotonic() < endsAt) await timers.delay(LOOK_INTERVAL_MS);
  if (hasChanged()) {
    const readback = (await readField())?.readbackBeforeCaret(text) ?? result.readback;
    return { ...result, readback };
  }
  // A busy application reads keys before it paints: it has painted once it also answers now.
  if (!wasConsumed || !(await hasReadKeys()) || hasChanged()) return result;
  return { ...result, readback: { status: 'different', reason: NO_EFFECT } };
}

const NO_EFFECT =
  'the window read the keys, but no field has the focus and nothing changed on the screen; give the field as `target`, or wait for the window before this step';
