import type { RunStatus, StepStatus } from '@pilothouse/contract/run/run-status';
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
  label: string;
  tone: Tone;
  Icon: LucideIcon;
  isSpinning?: boolean;
}

export const runStatusLabels: Readonly<Record<RunStatus, StatusLabel>> = {
  queued: { label: 'Queued', tone: 'plain', Icon: CircleDashed },
  running: { label: 'Running', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  awaiting_user: { label: 'Needs input', tone: 'warn', Icon: CirclePause },
  completed: { label: 'Completed', tone: 'good', Icon: CircleCheck },
  failed: { label: 'Failed', tone: 'bad', Icon: CircleX },
  cancelled: { label: 'Cancelled', tone: 'plain', Icon: Ban },
};

/** Status of a step on pages. `interrupted`: the run waits for a person or ended during the step; `cancelled`: a person stopped it. */
export type StepDisplayStatus = StepStatus | 'interrupted' | 'cancelled';

export const stepStatusLabels: Readonly<Record<StepDisplayStatus, StatusLabel>> = {
  pending: { label: 'Pending', tone: 'plain', Icon: Circle },
  running: { label: 'Running', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  retrying: { label: 'Waiting to retry', tone: 'warn', Icon: RotateCw },
  completed: { label: 'Done', tone: 'good', Icon: CircleCheck },
  failed: { label: 'Failed', tone: 'bad', Icon: CircleX },
  skipped: { label: 'Skipped', tone: 'plain', Icon: SkipForward },
  interrupted: { label: 'Interrupted', tone: 'warn', Icon: CirclePause },
  cancelled: { label: 'Cancelled', tone: 'plain', Icon: Ban },
};

/** Status of a run as icon and label. */
export function RunStatusBadge({ status }: { status: RunStatus }) {
  const { label, tone, Icon, isSpinning } = runStatusLabels[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" className={isSpinning ? 'animate-spin' : undefined} />
      {label}
    </Badge>
  );
}

const colors: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  good: 'text-good',
  bad: 'text-bad',
  warn: 'text-warn',
  live: 'text-live',
};

/** Status of a step as an icon with an accessible label. */
export function StepIcon({ status }: { status: StepDisplayStatus }) {
  const { label, tone, Icon, isSpinning } = stepStatusLabels[status];
  return (
    <span className={colors[tone]} title={label}>
      <Icon aria-hidden="true" className={`size-4 ${isSpinning ? 'animate-spin' : ''}`} />
      <span className="sr-only">{label}</span>
    </span>
  );
}
