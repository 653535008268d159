import { Command } from 'commander';
import { doctorCommand } from './commands/doctor.ts';
import { downCommand } from './commands/down.ts';
import { upCommand } from './commands/up.ts';
import { workerCommand } from './commands/worker.ts';

/** The command `pilothouse`: one file in commands/ for each of its commands. */
export function program(): Command {
  return new Command('pilothouse')
    .description('Run workflows on real browsers, on a fleet of your own')
    .showHelpAfterError('(--help shows what there is)')
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(workerCommand())
    .addCommand(doctorCommand());
}
