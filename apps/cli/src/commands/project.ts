import { runStatuses, type ChangeProject, type Keep, type ProjectView } from '@pilothouse/contract';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api.ts';
import type { Cli } from '../api/cli.ts';
import { newApiCommand, oneCli, withApi } from '../api/command.ts';
import type { ApiOptions } from '../api/connect.ts';
import { usage } from '../output/exit.ts';
import type { Style } from '../output/style.ts';
import { pairs } from '../output/table.ts';
import { clean, count } from '../output/text.ts';
import { json } from '../output/value.ts';

interface SetFlags extends ApiOptions {
  readonly maxRunning?: Limit;
  readonly keepRuns?: Limit;
  readonly keepEvents?: Limit;
  readonly keepArtifacts?: Limit;
}

/** A whole number from 1, or none; an object, because commander takes a null for an option without a value. */
interface Limit {
  readonly value: number | null;
}

const limit =
  (none: string) =>
  (text: string): Limit => {
    if (text === none) return { value: null };
    if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError(`Use a whole number from 1, or "${none}".`);
    return { value: Number(text) };
  };

const kept = {
  runs: 'runs, with all they have,',
  events: 'events and steps of runs',
  artifacts: 'files of runs',
} as const;

const keepOption = (what: keyof typeof kept) =>
  [`--keep-${what} <days>`, `days after their end that ${kept[what]} are kept, or "forever"`] as const;

/** `pilothouse project`: limit and keeping of the project; `project set` is for admins. */
export const projectCommand = (source = oneCli) =>
  newApiCommand(
    'project',
    'show the project: its limit, how long it keeps what, its runs by status',
    ['pilothouse project', 'pilothouse project set --max-running 5 --keep-artifacts 30'],
    source,
  )
    .action(withApi(source, show))
    .addCommand(
      newApiCommand('show', 'the same', ['pilothouse project show', 'pilothouse project show --json'], source).action(
        withApi(source, show),
      ),
    )
    .addCommand(
      newApiCommand(
        'set',
        'change what is given; the rest stays',
        ['pilothouse project set --max-running 5', 'pilothouse project set --keep-runs 365 --keep-artifacts forever'],
        source,
      )
        .option('--max-running <n>', 'most runs at work at a time, or "none"', limit('none'))
        .option(...keepOption('runs'), limit('forever'))
        .option(...keepOption('events'), limit('forever'))
        .option(...keepOption('artifacts'), limit('forever'))
        .action(withApi(source, set)),
    );

async function show(api: Api, { terminal }: Cli, flags: ApiOptions): Promise<void> {
  tell(await api.project(), terminal, flags);
}

async function set(api: Api, { terminal }: Cli, flags: SetFlags): Promise<void> {
  const { maxRunning, keepRuns, keepEvents, keepArtifacts } = flags;
  const keep: Partial<Keep> = {
    ...(keepRuns && { runsDays: keepRuns.value }),
    ...(keepEvents && { eventsDays: keepEvents.value }),
    ...(keepArtifacts && { artifactsDays: keepArtifacts.value }),
  };
  const change: ChangeProject = {
    ...(maxRunning && { maxRunning: maxRunning.value }),
    ...(Object.keys(keep).length > 0 && { keep }),
  };
  if (Object.keys(change).length === 0) throw usage('Say what to change; --help shows what there is.');
  tell(await api.changeProject(change), terminal, flags);
}

function tell(project: ProjectView, { out, style }: Cli['terminal'], { json: asJson }: ApiOptions): void {
  if (asJson) out(json(project));
  else for (const line of projectLines(project, style)) out(line);
}

function projectLines({ slug, name, maxRunning, keep, runs }: ProjectView, style: Style): string[] {
  const keeps = (days: number | null, otherwise: string) =>
    days === null ? otherwise : `${count(days, 'day')} after the end`;
  const likeRuns = keep.runsDays === null ? 'for ever' : 'as long as the run';
  return pairs(
    [
      ['project', `${style.bold(slug)}  ${clean(name)}`],
      ['runs', runStatuses.map((status) => `${runs[status]} ${status}`).join(style.dim(' · '))],
      ['limit', maxRunning === null ? 'none' : `${count(maxRunning, 'run')} at work at a time`],
      ['keeps runs', keeps(keep.runsDays, 'for ever')],
      ['keeps events', keeps(keep.eventsDays, likeRuns)],
      ['keeps files', keeps(keep.artifactsDays, likeRuns)],
    ],
    style,
  );
}
