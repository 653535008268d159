import type { EventLevel, RunEvent } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun } from '../api/find-by-id.ts';
import { exitCodes } from '../output/exit-codes.ts';
import type { Paint, Style } from '../output/text-style.ts';
import { clean } from '../output/sanitize-text.ts';
import { localTime } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

interface LogFlags extends ApiOptions {
  readonly follow?: boolean;
}

/** `pilothouse logs`: the events of a run. */
export const logsCommand = (source = oneCli) =>
  newApiCommand(
    'logs',
    'show the events of a run, one a line',
    ['pilothouse logs -f last', 'pilothouse logs 0197f3c2-1a2b --json'],
    source,
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .option('-f, --follow', 'go on until the run ends; Ctrl-C stops watching, not the run')
    .action(withApi(source, logs));

async function logs(api: Api, cli: Cli, flags: LogFlags, given: string): Promise<void> {
  const run = await findRun(api, given);
  const enough = new AbortController();
  const deaf = flags.follow ? cli.onInterrupt(() => enough.abort()) : () => undefined;
  try {
    for await (const event of api.events(run.id, { follow: flags.follow === true, signal: enough.signal })) {
      cli.terminal.out(flags.json ? json(event, 'one') : eventLine(event, cli.terminal.style));
    }
  } catch (thrown) {
    if (!enough.signal.aborted) throw thrown;
  } finally {
    deaf();
  }
  if (enough.signal.aborted) cli.end(exitCodes.interrupted);
}

const looks = (style: Style): Readonly<Record<EventLevel, Paint>> => ({
  debug: style.dim,
  info: (text) => text,
  warn: style.yellow,
  error: style.red,
});

/** An event in one line: when, how grave, what. */
export function eventLine({ at, level, type, message }: RunEvent, style: Style): string {
  const paint = looks(style)[level];
  return `${style.dim(localTime(at))}  ${paint(level.padEnd(5))}  ${style.dim(type.padEnd(16))}  ${paint(clean(message))}`;
}
