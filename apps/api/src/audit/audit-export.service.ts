import { Readable } from 'node:stream';
import { Inject } from '@nestjs/common';
import type { AuditEntry, AuditExportFormat, ExportAuditQuery } from '@pilothouse/contract/api/audit.routes';
import { MAX_PAGE, type Page } from '@pilothouse/contract/api/query-params';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { CLOCK } from '../common/injection-tokens.ts';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller } from '../http/route-request.ts';
import { AuditService } from './audit.service.ts';

type Cell = string | object | null;

/** Columns of the CSV file. */
const columns: Readonly<Record<string, (entry: AuditEntry) => Cell>> = {
  time: (entry) => entry.at,
  actorKind: ({ actor }) => actor.kind,
  actorId: ({ actor }) => actor.id,
  actorName: ({ actor }) => actor.name,
  action: ({ action }) => action,
  summary: ({ summary }) => summary,
  resource: ({ resource }) => resource,
  target: ({ target }) => target,
  details: ({ details }) => details,
  before: (entry) => entry.before,
  after: (entry) => entry.after,
  address: ({ address }) => address,
  request: ({ request }) => request,
  id: ({ id }) => id,
};

/** Starts of a cell that a spreadsheet runs as a formula, also after spaces, and in full-width letters. */
const FORMULA_START = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/** The same after a character at which some spreadsheets split cells, even in quotes. */
const FORMULA_AFTER_SEPARATOR = /([;\t]["\s]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** A cell of a CSV file (RFC 4180). A formula becomes text, also in a spreadsheet that separates cells by `;` or tabs. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safeText = (FORMULA_START.test(text) ? `'${text}` : text).replace(FORMULA_AFTER_SEPARATOR, "$1'");
  return /[",;\r\n\t]/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}

const csvLine = (cells: readonly Cell[]) => `${cells.map(csvCell).join(',')}\r\n`;

interface ExportFormat {
  readonly type: string;
  /** First line; empty: none. */
  readonly head: string;
  readonly lineOf: (entry: AuditEntry) => string;
}

const formats: Readonly<Record<AuditExportFormat, ExportFormat>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvLine(Object.keys(columns)),
    lineOf: (entry) => csvLine(Object.values(columns).map((cellOf) => cellOf(entry))),
  },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    lineOf: (entry) => `${JSON.stringify(entry)}\n`,
  },
};

/** Streams the audit log of a project as a file. */
export class AuditExportService {
  constructor(
    @Inject(AuditService) private readonly audit: Pick<AuditService, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Reads the first page before the response, so that its errors are problem documents. */
  async export(
    caller: Caller,
    { format, ...filter }: ExportAuditQuery,
    signal: AbortSignal,
  ): Promise<HttpResponse<undefined>> {
    const { type, ...lines } = formats[format];
    const readPage = (cursor?: string) => this.audit.list(caller, { ...filter, limit: MAX_PAGE, cursor });
    const firstPage = await readPage();
    const day = this.clock.now().toISOString().slice(0, 10);
    const text = exportText(firstPage, { ...lines, readPage, signal });
    return new HttpResponse<undefined>(200, Readable.from(text, { objectMode: false }), {
      'content-type': type,
      'content-disposition': `attachment; filename="audit-${caller.project.slug}-${day}.${format}"`,
      'x-content-type-options': 'nosniff',
    });
  }
}

interface ExportPages extends Pick<ExportFormat, 'head' | 'lineOf'> {
  readonly readPage: (cursor: string) => Promise<Page<AuditEntry>>;
  readonly signal: AbortSignal;
}

/** Text of the file, a page at a time. Entries that are written meanwhile do not shift the pages. */
async function* exportText(
  firstPage: Page<AuditEntry>,
  { head, lineOf, readPage, signal }: ExportPages,
): AsyncGenerator<string> {
  let page = firstPage;
  yield head + page.items.map(lineOf).join('');
  while (page.nextCursor !== null) {
    signal.throwIfAborted();
    page = await readPage(page.nextCursor);
    yield page.items.map(lineOf).join('');
  }
}
