import { Command } from 'commander';
import { processSource } from './api/define-command.ts';
import { completionCommand } from './completion/completion.command.ts';
import { deadLettersCommand } from './runs/dead-letters.command.ts';
import { doctorCommand } from './local/doctor.command.ts';
import { downCommand } from './local/down.command.ts';
import { evalCommand } from './evaluation/eval.command.ts';
import { fleetsCommand } from './fleets/fleets.command.ts';
import { proposalsCommand } from './workflows/proposals.command.ts';
import { auditCommand } from './project/audit.command.ts';
import { keysCommand } from './project/keys.command.ts';
import { lintCommand } from './workflows/lint.command.ts';
import { logsCommand } from './runs/run-logs.command.ts';
import { elementsCommand } from './workflows/elements.command.ts';
import { datasetsCommand } from './learning/datasets.command.ts';
import { mcpCommand } from './mcp/mcp.command.ts';
import { goalsCommand } from './learning/goals.command.ts';
import { jobsCommand } from './learning/jobs.command.ts';
import { modelsCommand } from './learning/models.command.ts';
import { profilesCommand } from './project/profiles.command.ts';
import { projectCommand } from './project/project.command.ts';
import { secretsCommand } from './project/secrets.command.ts';
import { retentionCommand } from './project/retention.command.ts';
import { runCommand } from './runs/create-run.command.ts';
import { runsCommand } from './runs/runs.command.ts';
import { savingsCommand } from './learning/savings.command.ts';
import { tuningCommand } from './learning/tuning.command.ts';
import { upCommand } from './local/up.command.ts';
import { tracesCommand } from './learning/traces.command.ts';
import { workersCommand } from './fleets/worker.command.ts';
import { workflowsCommand } from './workflows/workflows.command.ts';
import { exitCodes } from './output/exit-codes.ts';

/** The command `pilothouse <noun> <verb>`, and its shortcuts. Unknown commands and flags suggest the nearest one. */
export function program(source = processSource): Command {
  return new Command('pilothouse')
    .description('Run browser workflows and agents on your own fleet.')
    .usage('<noun> <verb> [options]')
    .showHelpAfterError('See --help for usage.')
    .exitOverride(({ exitCode }) => source().quit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
    .commandsGroup('Shortcuts:')
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(doctorCommand(source))
    .addCommand(runCommand(source))
    .addCommand(logsCommand(source))
    .addCommand(lintCommand(source))
    .commandsGroup('Commands:')
    .addCommand(runsCommand(source))
    .addCommand(workflowsCommand(source))
    .addCommand(proposalsCommand(source))
    .addCommand(deadLettersCommand(source))
    .addCommand(evalCommand(source))
    .addCommand(tracesCommand(source))
    .addCommand(elementsCommand(source))
    .addCommand(fleetsCommand(source))
    .addCommand(workersCommand(source))
    .addCommand(projectCommand(source))
    .addCommand(datasetsCommand(source))
    .addCommand(goalsCommand(source))
    .addCommand(jobsCommand(source))
    .addCommand(modelsCommand(source))
    .addCommand(savingsCommand(source))
    .addCommand(tuningCommand(source))
    .addCommand(profilesCommand(source))
    .addCommand(secretsCommand(source))
    .addCommand(keysCommand(source))
    .addCommand(auditCommand(source))
    .addCommand(retentionCommand(source))
    .addCommand(mcpCommand(source))
    .addCommand(completionCommand(source));
}
