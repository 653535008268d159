import { Cell, classes, Input, Notice, Table } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import type { ApiResult } from '../../api/api-client.server.ts';
import { countOf, size } from '../../shared/number-format.ts';
import type { RunArtifact } from '../run-state.ts';
import { formatExact, formatDuration } from '../../shared/duration.ts';
import type { NetworkRow, DebugLog } from './debug-log.ts';

const clock = (time: string) => (
  <time dateTime={time} title={formatExact(time)} className="font-mono text-xs whitespace-nowrap text-muted">
    {time.slice(11, 23)}
  </time>
);

export interface DebugLogTabProps {
  run: string;
  files: readonly RunArtifact[];
  /** Query string with `from` and `to`. Default: all entries. */
  timeQuery?: string;
}

/** Console or network logs of a run, one file for each attempt. */
export default function DebugLogTab({ run, files, timeQuery = '' }: DebugLogTabProps) {
  return (
    <div className="grid gap-4">
      {files.map((file) => (
        <DebugLogFile key={`${file.id} ${timeQuery}`} run={run} file={file} timeQuery={timeQuery} />
      ))}
    </div>
  );
}

function DebugLogFile({ run, file: { id, name }, timeQuery }: { run: string; file: RunArtifact; timeQuery: string }) {
  const { load, data: answer } = useFetcher<ApiResult<DebugLog>>();
  const [text, setText] = useState('');
  useEffect(() => void load(`/runs/${run}/debug-logs/${id}?${timeQuery}`), [load, run, id, timeQuery]);
  if (!answer) return <p className="text-sm text-muted">Loading {name}…</p>;
  if (answer.failure) return <Notice tone="bad">{answer.failure.message}</Notice>;
  const data = answer.result;
  const rows = data.rows.filter((row) => JSON.stringify(row).toLowerCase().includes(text.toLowerCase()));
  const filteredLog = { ...data, rows } as DebugLog;
  return (
    <div className="grid gap-2">
      <Input
        type="search"
        aria-label={`Search ${name}`}
        placeholder="Search"
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="max-w-72"
      />
      {hiddenEntryNotes(data).map((note) => (
        <Notice key={note}>
          {note} The file is {name}.
        </Notice>
      ))}
      {rows.length === 0 ? (
        <p className="text-sm text-muted">{text ? 'No matches.' : 'No entries.'}</p>
      ) : (
        <div className="max-h-[70vh] overflow-auto">
          {filteredLog.kind === 'console' ? (
            <ConsoleRows rows={filteredLog.rows} />
          ) : (
            <NetworkRows rows={filteredLog.rows} />
          )}
        </div>
      )}
    </div>
  );
}

/** Sentences about entries that are not shown. */
const hiddenEntryNotes = ({ hiddenCount, omitted, damaged, comment }: DebugLog): string[] => [
  ...(hiddenCount > 0 ? [`${countOf(hiddenCount, 'more entry', 'more entries')} in the file.`] : []),
  ...(omitted > 0 ? [`${countOf(omitted, 'entry', 'entries')} of this attempt not recorded.`] : []),
  ...(damaged > 0 ? [`${countOf(damaged, 'damaged entry', 'damaged entries')} not shown.`] : []),
  ...(comment === null ? [] : [`${comment}.`]),
];

const isError = (type: string) => type === 'error' || type === 'uncaught';

const ConsoleRows = ({ rows }: { rows: Extract<DebugLog, { kind: 'console' }>['rows'] }) => (
  <Table label="Console" head={['Time', 'Level', 'Message', 'Source']}>
    {rows.map(({ at: time, type, text, location: source, page }, index) => (
      <tr key={index}>
        <Cell>{clock(time)}</Cell>
        <Cell
          className={classes('text-xs', isError(type) ? 'text-bad' : type === 'warning' ? 'text-warn' : 'text-muted')}
        >
          {type}
        </Cell>
        <Cell className="min-w-60 py-1 font-mono text-xs wrap-anywhere">{text}</Cell>
        <Cell className="max-w-60 truncate text-xs text-muted">
          <span title={source ?? page}>{source ?? page}</span>
        </Cell>
      </tr>
    ))}
  </Table>
);

const NetworkRows = ({ rows }: { rows: readonly NetworkRow[] }) => (
  <Table label="Network" head={['Time', 'Request', 'Status', 'Type', 'Size', 'Duration']}>
    {rows.map(({ startedAt, method, url, status, statusText, type, size: bytes, ms }, index) => (
      <tr key={index}>
        <Cell>{clock(startedAt)}</Cell>
        <Cell className="min-w-60 py-1 font-mono text-xs wrap-anywhere">
          <span className="text-muted">{method}</span> {url}
        </Cell>
        <Cell className={classes('text-xs whitespace-nowrap', (status === 0 || status >= 400) && 'text-bad')}>
          {status === 0 ? statusText || 'none' : status}
        </Cell>
        <Cell className="text-xs whitespace-nowrap text-muted">{type}</Cell>
        <Cell className="text-xs whitespace-nowrap text-muted">{bytes < 0 ? '' : size(bytes)}</Cell>
        <Cell className="text-xs whitespace-nowrap text-muted">{formatDuration(ms)}</Cell>
      </tr>
    ))}
  </Table>
);
