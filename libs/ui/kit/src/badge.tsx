import type { ReactNode } from 'react';
import { classes } from './class-names.ts';

const tones = {
  plain: 'text-muted',
  good: 'text-good',
  bad: 'text-bad',
  warn: 'text-warn',
  live: 'text-live',
} as const;
export type Tone = keyof typeof tones;

/** Short colored label. The color only supports the text. */
export const Badge = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={classes(
      'inline-flex items-center gap-1 rounded border border-current/30 px-1.5 py-px text-xs font-medium whitespace-nowrap [&>svg]:size-3',
      tones[tone],
    )}
  >
    {children}
  </span>
);

/** Keyboard key. */
export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-block min-w-5 rounded border border-line bg-raised px-1 text-center font-mono text-xs text-muted">
    {children}
  </kbd>
);
