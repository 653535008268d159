import { eventData, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Cli } from '../api/cli-context.ts';
import { shortId } from '../api/find-by-id.ts';
import { blockLines } from '../output/value-text.ts';
import { KEEP_OPEN_HOURS, type ShortenedWorkflow } from './until-step.ts';
import type { WatchOptions } from './watch-run.ts';

/** Follows a run with `--keep-open`: prints the observation, and cancels the run on Ctrl-C. */
export const keepOpenOptions = (
  { observeId, lastStep }: Pick<ShortenedWorkflow, 'observeId' | 'lastStep'>,
  { id }: Pick<RunView, 'id'>,
  { terminal }: Pick<Cli, 'terminal'>,
): Pick<WatchOptions, 'cancelOnInterrupt' | 'onEvent'> => ({
  cancelOnInterrupt: true,
  onEvent(event) {
    const observation = observationOf(event, observeId);
    if (observation === undefined) return;
    const hint = [
      `The browser stays open after step ${lastStep}, for at most ${KEEP_OPEN_HOURS} hours.`,
      `Open run ${shortId(id)} in the console to watch it and take control. Ctrl-C cancels the run.`,
    ];
    for (const line of ['', ...blockLines(observation), '', ...hint]) terminal.out(line);
  },
});

/** The value of the `observe` step when the event reports it. */
function observationOf(event: RunEvent, observeId: string): string | undefined {
  if (event.type !== 'step.completed') return undefined;
  const { data } = eventData['step.completed'].safeParse(event.data);
  return data?.id === observeId && typeof data.value === 'string' ? data.value : undefined;
}
