import type { Trace, TraceStep } from '@pilothouse/contract/learning/trace.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { classes } from '@pilothouse/ui-kit';
import { useEffect, useState, type ReactNode } from 'react';
import type { VisibleElement } from '../../run/element-picker/page-inspection.ts';
import { boundsInViewport } from './recorded-elements.ts';

export interface TurnScreenshotProps {
  run: Trace['run'];
  step: Pick<TraceStep, 'ordinal' | 'screenshot' | 'actions'>;
  /** null: not loaded, or deleted. */
  record: TurnRecord | null;
  /** Element to highlight. */
  highlighted?: VisibleElement | null;
  /** Layer above the screenshot. */
  children?: ReactNode;
}

/** Bounds in thousandths as a CSS position. */
const cssPosition = ({ x, y, width, height }: VisibleElement['bounds']) => ({
  left: `${x / 10}%`,
  top: `${y / 10}%`,
  width: `${width / 10}%`,
  height: `${height / 10}%`,
});

/** Screenshot before the actions of a turn, with their targets. Without a screenshot, nothing is drawn. */
export function TurnScreenshot({ run, step, record, highlighted, children }: TurnScreenshotProps) {
  const [failed, setFailed] = useState<string>();
  const { screenshot } = step;
  useEffect(() => setFailed(undefined), [screenshot]);
  if (screenshot === null || failed === screenshot) return <MissingScreenshot isStored={screenshot !== null} />;
  const viewport = record?.observation.viewport;
  const ratio = viewport && viewport.height > 0 ? `${viewport.width} / ${viewport.height}` : '16 / 10';
  const targets = step.actions.flatMap(({ title, target }, index) => {
    const bounds = target && viewport ? boundsInViewport(target, viewport) : null;
    return bounds ? [{ number: index + 1, title, bounds }] : [];
  });
  return (
    <div
      className="relative overflow-hidden rounded border border-line bg-raised"
      style={{ aspectRatio: ratio }}
      data-screenshot
    >
      <img
        key={screenshot}
        src={`/runs/${run}/files/${screenshot}`}
        alt={`Page before step ${step.ordinal}`}
        className="block size-full object-fill"
        // An error before hydration has no event.
        ref={(image) => {
          if (image?.complete && image.naturalWidth === 0) setFailed(screenshot);
        }}
        onError={() => setFailed(screenshot)}
      />
      {targets.map(({ number, title, bounds }) => (
        <span
          key={number}
          data-target={number}
          title={title}
          className="pointer-events-none absolute min-h-1 min-w-1 rounded-sm border-2 border-primary bg-primary/15"
          style={cssPosition(bounds)}
        >
          <span
            aria-hidden="true"
            className={classes(
              'absolute left-0 rounded bg-primary px-1 text-[0.6875rem] leading-4 font-semibold text-on-primary',
              bounds.y > 40 ? 'bottom-full' : 'top-full',
            )}
          >
            {number}
          </span>
        </span>
      ))}
      {highlighted && (
        <span
          className="pointer-events-none absolute rounded-sm border-2 border-accent bg-accent/15"
          style={cssPosition(highlighted.bounds)}
        />
      )}
      {children}
    </div>
  );
}

/** Text instead of a screenshot: boxes without a screenshot show nothing. @param isStored true if the turn has a screenshot that did not load */
const MissingScreenshot = ({ isStored }: { isStored: boolean }) => (
  <p role="status" className="rounded border border-line bg-raised px-3 py-2 text-sm text-muted" data-screenshot>
    {isStored ? 'The screenshot of this turn cannot be loaded.' : 'This turn has no screenshot.'} Use the element list.
  </p>
);
