import type { Target } from '@pilothouse/contract';
import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { Hand } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link, useFetcher } from 'react-router';
import { stopBefore, WAITING } from './document/truncate-workflow.ts';
import type { Path } from './document/yaml-path.ts';
import { postApi } from '../api/post-api.ts';
import type { Story } from '../run/run-state.ts';
import { PickFilm, PickSwitch, usePicking } from '../element-picker/element-picker.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { useStory } from '../run/use-run-state.ts';
import { useWheel } from '../run/control/use-control-session.ts';
import { askedOf, TryForm } from './test-run-form.tsx';
import type { TriedWorkflow } from './test-run-result.ts';

export interface PagePickerProps {
  text: string;
  inputs: Readonly<Record<string, unknown>>;
  /** The step that something is picked for; null: nothing is. */
  step: Path | null;
  onPick: (target: Target) => void;
  onClose: () => void;
}

/** Picks an element on a live page: that of a run which goes as far as the step, and waits there in the hands of the viewer. */
export const PagePicker = ({ step, onClose, ...rest }: PagePickerProps) => (
  <Dialog open={step !== null} onClose={onClose} title="Pick on the page" className="w-[min(76rem,calc(100vw-2rem))]!">
    {step && <Picking step={step} {...rest} />}
  </Dialog>
);

function Picking({ text, inputs, step, onPick }: Omit<PagePickerProps, 'onClose' | 'step'> & { step: Path }) {
  const tried = useFetcher<TriedWorkflow>();
  const { story, failure } = tried.data ?? {};
  if (story) return <LivePage key={story.run} first={story} onPick={onPick} />;
  return (
    <div className="grid max-w-2xl gap-3">
      <p className="text-sm text-muted">
        A run does the steps before this one, and waits then. What you pick is not clicked; the run is cancelled in the
        end.
      </p>
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <TryForm
        asked={askedOf(inputs)}
        busy={tried.state !== 'idle'}
        onSubmit={(form) => {
          form.set('text', stopBefore(text, step));
          void tried.submit(form, { method: 'post', action: '/workflows/test-run', encType: 'multipart/form-data' });
        }}
      />
    </div>
  );
}

function LivePage({ first, onPick }: Pick<PagePickerProps, 'onPick'> & { first: Story }) {
  const { run } = first;
  const { story } = useStory(first);
  const wheel = useWheel(story);
  const { drives, take } = wheel;
  const picking = usePicking(wheel, onPick);

  // Nobody needs the run any more.
  useEffect(() => () => void postApi(`runs/${run}/cancel`, { keepalive: true }), [run]);

  const waits =
    story.status === 'running' && story.steps.some(({ title, status }) => title === WAITING && status !== 'pending');
  const asked = useRef(false);
  useEffect(() => {
    if (!waits || asked.current) return;
    asked.current = true;
    take();
  }, [waits, take]);

  const failed = story.steps.find(({ error }) => error)?.error ?? story.error;
  const problem = picking.problem ?? wheel.problem;
  return (
    <div className="grid gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className="flex min-w-0 flex-wrap items-center gap-2">
          <RunStatusBadge status={story.status} />
          <Link to={`/runs/${run}`} target="_blank" className="underline">
            Open the run
          </Link>
          <span className="truncate text-muted">{drives ? picking.words : wordsFor(story, wheel.isMine)}</span>
        </p>
        {waits && !wheel.isMine && wheel.problem && (
          <Button onClick={take}>
            <Hand aria-hidden="true" /> Take the wheel
          </Button>
        )}
        {drives && <PickSwitch picking={picking} />}
      </div>
      {failed && <Notice tone="bad">{failed.message}</Notice>}
      {problem && <Notice tone="warn">{problem}</Notice>}
      {story.finishedAt === null && <PickFilm run={run} wheel={wheel} picking={picking} />}
    </div>
  );
}

function wordsFor({ status, finishedAt }: Story, isMine: boolean): string {
  if (status === 'completed') return 'The run did not come to this step.';
  if (finishedAt !== null) return '';
  return isMine ? 'It stops for you…' : 'It goes as far as this step…';
}
