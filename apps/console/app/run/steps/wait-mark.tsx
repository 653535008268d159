import { formatDuration } from '../../shared/duration.ts';
import type { CompressedWait } from './time-scale.ts';

/** Minimum width of a mark with a label, in CSS pixels. */
const LABEL_PX = 56;

const waitLabels = { awaiting_user: 'Waiting for a person', queued: 'Waiting for a worker' } as const;

/** Wait as text: `Waiting for a person: 2 h 5 min, compressed`. */
export const waitText = ({ kind, durationMs }: CompressedWait): string =>
  `${waitLabels[kind]}: ${formatDuration(durationMs)}, compressed`;

/** Marks a wait that is shorter on the time axis than it was. @param axisPx width of the axis in CSS pixels */
export const WaitMark = ({ wait, axisPx }: { wait: CompressedWait; axisPx: number }) => (
  <span
    data-wait={wait.kind}
    title={waitText(wait)}
    className="compressed-time absolute inset-y-0 grid place-items-center overflow-hidden text-[0.625rem] leading-none whitespace-nowrap text-text"
    style={{ left: `${wait.left * 100}%`, width: `${wait.width * 100}%` }}
  >
    {wait.width * axisPx >= LABEL_PX && (
      <span aria-hidden="true" className="rounded-sm bg-surface px-1 py-0.5">
        {formatDuration(wait.durationMs)}
      </span>
    )}
  </span>
);
