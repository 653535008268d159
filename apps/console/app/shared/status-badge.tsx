import type { RunStatus, StepStatus } from '@pilothouse/contract';
import { Badge, type Tone } from '@pilothouse/ui-kit';
import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  LoaderCircle,
  RotateCw,
  SkipForward,
  type LucideIcon,
} from 'lucide-react';

interface StatusLabel {
  words: string;
  tone: Tone;
  Icon: LucideIcon;
  isSpinning?: boolean;
}

export const runStatusLabels: Readonly<Record<RunStatus, StatusLabel>> = {
  queued: { words: 'Queued', tone: 'plain', Icon: CircleDashed },
  running: { words: 'Running', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  awaiting_user: { words: 'Waits for you', tone: 'warn', Icon: CirclePause },
  completed: { words: 'Completed', tone: 'good', Icon: CircleCheck },
  failed: { words: 'Failed', tone: 'bad', Icon: CircleX },
  cancelled: { words: 'Cancelled', tone: 'plain', Icon: Ban },
};

/** Of a step, as it looks: `interrupted` is one whose run waits for a person, or ended in its midst; `cancelled` one that a person stopped. */
export type StepDisplayStatus = StepStatus | 'interrupted' | 'cancelled';

export const stepStatusLabels: Readonly<Record<StepDisplayStatus, StatusLabel>> = {
  pending: { words: 'Pending', tone: 'plain', Icon: Circle },
  running: { words: 'At work', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  retrying: { words: 'Waits for its next attempt', tone: 'warn', Icon: RotateCw },
  completed: { words: 'Done', tone: 'good', Icon: CircleCheck },
  failed: { words: 'Failed', tone: 'bad', Icon: CircleX },
  skipped: { words: 'Skipped', tone: 'plain', Icon: SkipForward },
  interrupted: { words: 'Interrupted', tone: 'warn', Icon: CirclePause },
  cancelled: { words: 'Cancelled', tone: 'plain', Icon: Ban },
};

/** Status of a run, in a word with its picture. */
export function RunStatusBadge({ status }: { status: RunStatus }) {
  const { words, tone, Icon, isSpinning } = runStatusLabels[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" className={isSpinning ? 'animate-spin' : undefined} />
      {words}
    </Badge>
  );
}

const colours: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  good: 'text-good',
  bad: 'text-bad',
  warn: 'text-warn',
  live: 'text-live',
};

/** Status of a step, as a picture with its word for those who cannot see it. */
export function StepIcon({ look }: { look: StepDisplayStatus }) {
  const { words, tone, Icon, isSpinning } = stepStatusLabels[look];
  return (
    <span className={colours[tone]} title={words}>
      <Icon aria-hidden="true" className={`size-4 ${isSpinning ? 'animate-spin' : ''}`} />
      <span className="sr-only">{words}</span>
    </span>
  );
}
