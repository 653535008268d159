import { countSteps } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Cli } from '../api/cli-context.ts';
import { newCommand, processSource, perform, type CliSource } from '../api/define-command.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { count } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { InvalidWorkflow, readWorkflow } from '../runs/workflow-source.ts';
import type { Command } from 'commander';

/** `pilothouse workflows lint`, and its shortcut `pilothouse lint`. */
export const lintCommand = (source: CliSource = processSource) =>
  newCommand(
    'lint',
    'Validate workflow files offline.',
    ['pilothouse lint top-stories.yaml', 'pilothouse lint workflows/*.yaml --json'],
    source,
  )
    .argument('<file...>', 'workflow files')
    .option('--json', 'print JSON')
    .action(async (files: string[], _options: unknown, command: Command) => {
      const cli = source();
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      await perform(cli, asJson, async () => lint(cli, files, asJson));
    });

function lint({ terminal, cwd, end }: Cli, files: readonly string[], asJson: boolean): void {
  const { style } = terminal;
  const results = files.map((file) => {
    try {
      const { name, steps } = readWorkflow(file, cwd);
      return { file, ok: true, name, steps: countSteps(steps), problems: [], lines: [] };
    } catch (thrown) {
      if (!(thrown instanceof InvalidWorkflow)) throw thrown;
      return { file, ok: false, name: null, steps: null, problems: thrown.problems, lines: thrown.lines };
    }
  });
  if (asJson) terminal.out(json({ files: results.map(({ lines, ...result }) => result) }));
  else {
    for (const { file, ok, name, steps, lines } of results) {
      if (ok) terminal.out(`${style.green('✓')} ${file}  ${style.dim(`${name}, ${count(steps ?? 0, 'step')}`)}`);
      for (const line of lines) terminal.out(`${style.red('✗')} ${line}`);
    }
  }
  if (results.some(({ ok }) => !ok)) end(exitCodes.usage);
}
