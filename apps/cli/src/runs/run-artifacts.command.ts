import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT } from '../api/find-by-id.ts';
import { artifactLines } from '../output/run-details.ts';
import { json } from '../output/value-text.ts';
import { saveArtifacts } from './download-artifacts.ts';
import { stepsOfScreenshots, storedSteps } from './run-steps.ts';

interface ArtifactFlags extends ApiOptions {
  readonly download?: string;
}

/** `pilothouse runs artifacts`. */
export const artifactsCommand = (source = processSource) =>
  newApiCommand(
    'artifacts',
    'List or download the artifacts of a run.',
    ['pilothouse runs artifacts last', 'pilothouse runs artifacts 0197f3c2-1a2b --download ./out'],
    source,
  )
    .argument('<run>', RUN_ARGUMENT)
    .option('--download <directory>', 'download to this directory')
    .action(withApi(source, artifacts));

async function artifacts(api: Api, { terminal, cwd }: Cli, flags: ArtifactFlags, run: string): Promise<void> {
  const { id } = await findRun(api, run);
  const items = await api.artifacts(id);
  const savedPaths =
    flags.download === undefined
      ? undefined
      : await saveArtifacts(items, flags.download, api.url, cwd, await stepsOfScreenshots(api, id, items));
  if (flags.json) return terminal.out(json({ items, ...(savedPaths && { saved: savedPaths }) }));
  if (items.length === 0) return terminal.err('No artifacts.');
  const lines =
    savedPaths ?? artifactLines(items, terminal.style, terminal.columns, (await storedSteps(api, id)) ?? []);
  for (const line of lines) terminal.out(line);
}
