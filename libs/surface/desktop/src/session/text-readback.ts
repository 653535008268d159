import type { ActionEffect } from '@pilothouse/contract/run/outcome';

/** Result of reading a typed text back. */
export interface TextReadback {
  /** `confirmed`: the field holds the text; `unverifiable`: it cannot be read; `different`: it holds another text. */
  readonly status: 'confirmed' | 'unverifiable' | 'different';
  /** Reason why the text is unverifiable, or why it differs without a difference. */
  readonly reason?: string;
  /** First difference; missing for a secret. */
  readonly difference?: TextDifference;
}

/** Effect of typing that is not `different`. */
export const effectOfText = ({ status, reason }: TextReadback): ActionEffect => ({
  effect: status === 'confirmed' ? 'confirmed' : 'unverifiable',
  ...(reason !== undefined && status !== 'confirmed' && { effectReason: reason }),
});

export interface TextDifference {
  /** Number of the first character that differs, from 1. */
  readonly position: number;
  /** Typed text from there on; at most 40 characters. */
  readonly expected: string;
  /** Text of the field from there on; at most as long. */
  readonly actual: string;
}
