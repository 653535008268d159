import { classes } from '@pilothouse/ui-kit';
import { withContext, type DiffLine } from '@pilothouse/core/workflow/line-diff';

const prefixes = { same: ' ', added: '+', removed: '−' } as const;
const colors = { same: 'text-muted', added: 'bg-good/10 text-good', removed: 'bg-bad/10 text-bad' } as const;

/** Diff of two texts, without lines far from a change. */
export function DiffView({ lines }: { lines: readonly DiffLine[] }) {
  if (lines.every(({ kind }) => kind === 'same')) return <p className="text-sm text-muted">No differences.</p>;
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label="Diff"
      className="max-h-[60vh] overflow-auto rounded-md border border-line bg-surface py-2 font-mono text-xs leading-5"
    >
      {withContext(lines).map((line, index) =>
        line ? (
          <div key={index} className={classes('w-max min-w-full px-2', colors[line.kind])}>
            {prefixes[line.kind]} {line.text}
          </div>
        ) : (
          <div key={index} className="px-2 text-muted">
            ⋯
          </div>
        ),
      )}
    </pre>
  );
}
