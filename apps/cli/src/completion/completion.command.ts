import { systemTimers } from '@pilothouse/core/time/timers';
import { Argument, type Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, perform, processSource, type CliSource } from '../api/define-command.ts';
import { readPages } from '../api/read-pages.ts';
import { connectApi } from '../api/rest-client.ts';
import { findInstallation } from '../installation/installation-paths.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { completionScript, FILES, shells, type Shell } from './shell-scripts.ts';
import { suggestWords } from './suggest-words.ts';

/** Time for the names of workflows. A shell waits for them. */
const NAMES_DEADLINE_MS = 500;
const MAX_NAMES = 500;

/** `pilothouse completion`. */
export const completionCommand = (source: CliSource = processSource) =>
  newCommand(
    'completion',
    'Print the completion script of a shell.',
    [
      `pilothouse completion bash > ~/.pilothouse-completion.bash`,
      `pilothouse completion zsh > "\${fpath[1]}/_pilothouse"`,
      `pilothouse completion fish > ~/.config/fish/completions/pilothouse.fish`,
    ],
    source,
  )
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .argument('[words...]', 'after --: words of a command line; prints their completions instead (used by the script)')
    .action(async (shell: Shell, words: string[], _options: unknown, command: Command) => {
      const cli = source();
      await perform(cli, false, async () => {
        if (words.length === 0) return cli.terminal.out(completionScript(shell, commandPath()));
        await printSuggestions(cli, command.parent ?? command, words);
      });
      // A pending request for names must not delay the shell.
      if (words.length > 0) cli.quit(exitCodes.done);
    });

/** The command of this checkout: an alias such as `npx pilothouse` has no path. */
function commandPath(): string {
  try {
    const path = join(findInstallation().root, 'apps/cli/bin/pilothouse');
    return existsSync(path) ? path : 'pilothouse';
  } catch {
    return 'pilothouse';
  }
}

async function printSuggestions(cli: Cli, root: Command, line: readonly string[]): Promise<void> {
  const { words, hasFiles } = await suggestWords(root, line, () => workflowNames(cli));
  for (const { word, description } of words) cli.terminal.out(`${word}\t${clean(description)}`);
  if (hasFiles) cli.terminal.out(FILES);
}

/** Names of workflows of the project; none when the API does not answer in time. */
async function workflowNames(cli: Cli): Promise<string[]> {
  const deadline = new AbortController();
  try {
    const api = connectApi(cli, {});
    const names = readPages((page) => api.workflows(page), MAX_NAMES).then(({ items }) =>
      items.map(({ name }) => name),
    );
    return await Promise.race([names, systemTimers.delay(NAMES_DEADLINE_MS, deadline.signal).then(() => [])]);
  } catch {
    return [];
  } finally {
    deadline.abort();
  }
}
