import type { ActionEffect } from '@pilothouse/contract/run/outcome';

/** Result of reading a typed text back. */
export interface TextReadback {
  /** `confirmed`: the field holds the text; `unverifiable`: it cannot be read; `different`: it holds another text. */
  readonly status: 'confirmed' | 'unverifiable' | 'different';
  /** Reason why the text is unverifiable, or why it differs without a difference. */
  readonly reason?: string;
  /** First difference; missing for a secret, and for a text that cannot be read. */
  readonly difference?: TextDifference;
}

/** Effect of typing that is not `different`. */
export const effectOfText = ({ status, reason, difference }: TextReadback): ActionEffect => ({
  effect: status === 'confirmed' ? 'confirmed' : 'unverifiable',
  ...(reason !== undefined &&
    status !== 'confirmed' && {
      effectReason: difference ? `${reason}; first difference${differenceText(difference)}` : reason,
    }),
});

/** Describes a difference, as the end of a sentence. */
export const differenceText = ({ position, expected, actual }: TextDifference): string =>
  ` at character ${position}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;

export interface TextDifference {
  /** Number of the first character that differs, from 1. */
  readonly position: number;
  /** Typed text from there on; at most 40 characters. */
  readonly expected: string;
  /** Text of the field from there on; at most as long. */
  readonly actual: string;
}
