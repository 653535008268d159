import { Command } from 'commander';
import { answerCommand } from './runs/answer-run.command.ts';
import { artifactsCommand } from './runs/run-artifacts.command.ts';
import { cancelCommand } from './runs/cancel-run.command.ts';
import { compileCommand } from './runs/compile-run.command.ts';
import { deadLettersCommand } from './runs/dead-letters.command.ts';
import { doctorCommand } from './local/doctor.command.ts';
import { downCommand } from './local/down.command.ts';
import { dryRunCommand } from './workflows/dry-run.command.ts';
import { fleetsCommand } from './fleets/fleets.command.ts';
import { healCommand } from './workflows/proposals.command.ts';
import { keysCommand } from './project/keys.command.ts';
import { lintCommand } from './workflows/lint.command.ts';
import { logsCommand } from './runs/run-logs.command.ts';
import { observeCommand } from './workflows/elements.command.ts';
import { profileCommand, profilesCommand } from './project/profiles.command.ts';
import { projectCommand } from './project/project.command.ts';
import { queueCommand } from './fleets/fleet-queue.command.ts';
import { retentionCommand } from './project/retention.command.ts';
import { retryCommand } from './runs/retry-run.command.ts';
import { runCommand } from './runs/create-run.command.ts';
import { runsCommand } from './runs/runs.command.ts';
import { exportCommand, importCommand } from './workflows/import-export.command.ts';
import { upCommand } from './local/up.command.ts';
import { workerCommand } from './fleets/worker.command.ts';
import { workflowsCommand } from './workflows/workflows.command.ts';

/** The command `pilothouse`: one file in commands/ for each of its commands. */
export function program(): Command {
  return (
    new Command('pilothouse')
      .description('Run workflows on real browsers, on a fleet of your own')
      .showHelpAfterError('(--help shows what there is)')
      // an unknown command is wrong usage, which is 2 with all commands (output/exit-codes.ts)
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
