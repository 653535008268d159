import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun } from '../api/find-by-id.ts';
import { artifactLines } from '../output/run-details.ts';
import { json } from '../output/value-text.ts';
import { saveArtifacts } from './download-artifacts.ts';
import { keptSteps } from './run-steps.ts';

interface ArtifactFlags extends ApiOptions {
  readonly save?: string;
}

/** `pilothouse artifacts`: the files of a run. */
export const artifactsCommand = (source = oneCli) =>
  newApiCommand(
    'artifacts',
    'list the screenshots, downloads and data of a run, or save them',
    ['pilothouse artifacts last', 'pilothouse artifacts 0197f3c2-1a2b --save ./out'],
    source,
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .option('--save <folder>', 'save them there')
    .action(withApi(source, artifacts));

async function artifacts(api: Api, { terminal, cwd }: Cli, flags: ArtifactFlags, given: string): Promise<void> {
  const { id } = await findRun(api, given);
  const items = await api.artifacts(id);
  const saved = flags.save === undefined ? undefined : await saveArtifacts(items, flags.save, api.url, cwd);
  if (flags.json) return terminal.out(json({ items, ...(saved && { saved }) }));
  if (items.length === 0) return terminal.err('The run has no files.');
  const lines = saved ?? artifactLines(items, terminal.style, terminal.columns, (await keptSteps(api, id)) ?? []);
  for (const line of lines) terminal.out(line);
}
