import type { ReactNode } from 'react';
import { classes } from './class-names.ts';
import type { Tone } from './badge.tsx';

const tones: Record<Tone, string> = {
  plain: 'border-line text-text',
  good: 'border-good/40 text-good',
  bad: 'border-bad/40 text-bad',
  warn: 'border-warn/40 text-warn',
  live: 'border-live/40 text-live',
};

/** Message box. The tone `bad` is announced immediately. */
export const Notice = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <div
    role={tone === 'bad' ? 'alert' : 'status'}
    className={classes('rounded-md border bg-surface px-3 py-2 text-sm wrap-anywhere', tones[tone])}
  >
    {children}
  </div>
);
