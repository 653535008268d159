import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { FlaskConical } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useFetcher } from 'react-router';
import type { OutlineStep } from './document/workflow-outline.ts';
import { keyOf, pathOfPlace } from './document/yaml-path.ts';
import { lookOf, type Story } from '../run/run-state.ts';
import { RunStatusBadge, type StepLook } from '../shared/status-badge.tsx';
import { useStory } from '../run/use-run-state.ts';
import { askedOf, TryForm } from './test-run-form.tsx';
import type { TriedWorkflow } from './test-run-result.ts';

export type Looks = ReadonlyMap<string, StepLook>;

export interface TryRunProps {
  text: string;
  inputs: Readonly<Record<string, unknown>>;
  steps: readonly OutlineStep[];
  disabled: boolean;
  onLooks: (looks: Looks) => void;
}

/** Runs what stands in the editor, and says how each of its steps does. */
export function TryRun({ text, inputs, steps, disabled, onLooks }: TryRunProps) {
  const [open, setOpen] = useState(false);
  const tried = useFetcher<TriedWorkflow>();
  const asked = askedOf(inputs);
  const { story, failure } = tried.data ?? {};
  const busy = tried.state !== 'idle';
  const submit = (form: FormData) => {
    setOpen(false);
    onLooks(new Map());
    form.set('text', text);
    void tried.submit(form, { method: 'post', action: '/workflows/test-run', encType: 'multipart/form-data' });
  };
  return (
    <div className="contents">
      <Button disabled={disabled || busy} onClick={() => (asked.length > 0 ? setOpen(true) : submit(new FormData()))}>
        <FlaskConical aria-hidden="true" /> {busy ? 'Starting…' : 'Try it'}
      </Button>
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {story && <Progress key={story.run} first={story} steps={steps} onLooks={onLooks} />}
      <Dialog open={open} onClose={() => setOpen(false)} title="Try it with">
        <TryForm asked={asked} onSubmit={submit} />
      </Dialog>
    </div>
  );
}

/** How the run does, in a line. */
function Progress({ first, steps, onLooks }: Pick<TryRunProps, 'steps' | 'onLooks'> & { first: Story }) {
  const { story, connection } = useStory(first);
  useEffect(() => onLooks(looksOf(story, steps)), [story, steps, onLooks]);
  const failed = story.steps.find(({ error }) => error)?.error ?? story.error;
  return (
    <p role="status" className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
      <RunStatusBadge status={story.status} />
      <Link to={`/runs/${story.run}`} target="_blank" className="underline">
        Open the run
      </Link>
      {connection === 'lost' && <span className="text-warn">The connection is gone</span>}
      {failed && <span className="text-bad wrap-anywhere">{failed.message}</span>}
    </p>
  );
}

/** How the steps of the graph look: what a block is at, it is at itself; of several rounds the last one counts. */
function looksOf(story: Story, steps: readonly OutlineStep[]): Looks {
  const known = new Set(steps.map(({ key }) => key));
  const looks = new Map<string, StepLook>();
  for (const step of story.steps) {
    const look = lookOf(step, story.status);
    let path = pathOfPlace(step.path, steps);
    // What a called workflow does is the step that calls it.
    while (path.length > 0 && !known.has(keyOf(path))) path = path.slice(0, -2);
    if (path.length === 0) continue;
    looks.set(keyOf(path), look);
    for (let around = path.slice(0, -2); around.length > 0; around = around.slice(0, -2))
      looks.set(keyOf(around), look);
  }
  return looks;
}
