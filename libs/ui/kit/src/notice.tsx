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

/** Placeholder for an empty list, which explains how to fill it. */
export const Empty = ({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) => (
  <div className="mx-auto grid max-w-xl justify-items-center gap-2 px-4 py-12 text-center">
    <p className="text-base font-semibold">{title}</p>
    {children && <div className="text-sm text-muted">{children}</div>}
    {actions && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
  </div>
);
