import type { EventLevel, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT } from '../api/find-by-id.ts';
import { exitCodes } from '../output/exit-codes.ts';
import type { Paint, Style } from '../output/text-style.ts';
import { clean } from '../output/sanitize-text.ts';
import { localTime } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

interface LogFlags extends ApiOptions {
  readonly follow?: boolean;
}

/** `pilothouse runs logs`, and its shortcut `pilothouse logs`. */
export const logsCommand = (source = processSource) =>
  newApiCommand(
    'logs',
    'Print the events of a run.',
    ['pilothouse logs -f last', 'pilothouse logs 0197f3c2-1a2b --json'],
    source,
  )
    .argument('<run>', RUN_ARGUMENT)
    .option('-f, --follow', 'follow until the run ends; Ctrl-C stops following, not the run')
    .action(withApi(source, logs));

async function logs(api: Api, cli: Cli, flags: LogFlags, name: string): Promise<void> {
  const run = await findRun(api, name);
  const stopped = new AbortController();
  const removeInterruptListener = flags.follow ? cli.onInterrupt(() => stopped.abort()) : () => undefined;
  try {
    for await (const event of api.events(run.id, { follow: flags.follow === true, signal: stopped.signal })) {
      cli.terminal.out(flags.json ? json(event, 'one') : eventLine(event, cli.terminal.style));
    }
  } catch (thrown) {
    if (!stopped.signal.aborted) throw thrown;
  } finally {
    removeInterruptListener();
  }
  if (stopped.signal.aborted) cli.end(exitCodes.interrupted);
}

const paints = (style: Style): Readonly<Record<EventLevel, Paint>> => ({
  debug: style.dim,
  info: (text) => text,
  warn: style.yellow,
  error: style.red,
});

/** An event in one line: time, level, type, message. */
export function eventLine({ at, level, type, message }: RunEvent, style: Style): string {
  const paint = paints(style)[level];
  return `${style.dim(localTime(at))}  ${paint(level.padEnd(5))}  ${style.dim(type.padEnd(22))}  ${paint(clean(message))}`;
}
