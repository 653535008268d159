import { Command } from 'commander';
import { answerCommand } from './commands/answer.ts';
import { artifactsCommand } from './commands/artifacts.ts';
import { cancelCommand } from './commands/cancel.ts';
import { compileCommand } from './commands/compile.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { dryRunCommand } from './commands/dry-run.ts';
import { fleetsCommand } from './commands/fleets.ts';
import { healCommand } from './commands/heal.ts';
import { keysCommand } from './commands/keys.ts';
import { lintCommand } from './commands/lint.ts';
import { logsCommand } from './commands/logs.ts';
import { observeCommand } from './commands/observe.ts';
import { profileCommand, profilesCommand } from './commands/profiles.ts';
import { projectCommand } from './commands/project.ts';
import { queueCommand } from './commands/queue.ts';
import { retentionCommand } from './commands/retention.ts';
import { retryCommand } from './commands/retry.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { exportCommand, importCommand } from './commands/exchange.ts';
import { upCommand } from './commands/up.ts';
import { workerCommand } from './commands/worker.ts';
import { workflowsCommand } from './commands/workflows.ts';

/** The command `pilothouse`: one file in commands/ for each of its commands. */
export function program(): Command {
  return (
    new Command('pilothouse')
      .description('Run workflows on real browsers, on a fleet of your own')
      .showHelpAfterError('(--help shows what there is)')
      // an unknown command is wrong usage, which is 2 with all commands (output/exit.ts)
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
      .addCommand(upCommand())
      .addCommand(downCommand())
      .addCommand(runCommand())
      .addCommand(runsCommand())
      .addCommand(logsCommand())
      .addCommand(artifactsCommand())
      .addCommand(answerCommand())
      .addCommand(cancelCommand())
      .addCommand(retryCommand())
      .addCommand(compileCommand())
      .addCommand(healCommand())
      .addCommand(deadLettersCommand())
      .addCommand(workflowsCommand())
      .addCommand(lintCommand())
      .addCommand(dryRunCommand())
      .addCommand(importCommand())
      .addCommand(exportCommand())
      .addCommand(observeCommand())
      .addCommand(fleetsCommand())
      .addCommand(queueCommand())
      .addCommand(projectCommand())
      .addCommand(profilesCommand())
      .addCommand(profileCommand())
      .addCommand(retentionCommand())
      .addCommand(keysCommand())
      .addCommand(workerCommand())
      .addCommand(doctorCommand())
  );
}
