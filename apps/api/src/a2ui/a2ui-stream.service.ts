import { Inject } from '@nestjs/common';
import { type A2uiVersion, a2uiCatalogs, a2uiVersions } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage, A2uiCapabilities } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { routes } from '@pilothouse/contract/api/route-table';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { A2uiStream } from '@pilothouse/core/a2ui/a2ui-stream';
import { newRunCard, oneLine } from '@pilothouse/core/a2ui/run-card';
import { RunReader } from '@pilothouse/infra-db';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest, Caller } from '../http/route-request.ts';
import { isLastRunEvent, type SseFormat } from '../runs/events/sse-stream.ts';
import { sseResponse, resumePosition } from '../runs/events/sse-response.ts';
import { RunsService, runDataDeleted } from '../runs/runs.service.ts';
import { originOf } from '../runs/run-origin.ts';
import { RunSubmitter } from '../runs/submit-run.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';

/** @throws PilothouseError NOT_ACCEPTABLE */
function parseA2uiVersion(name: string): A2uiVersion {
  const version = a2uiVersions.find((supported) => supported === name.replace(/^v/, ''));
  if (version) return version;
  throw new PilothouseError(
    'NOT_ACCEPTABLE',
    `A2UI ${name} is not supported. Use \`a2ui=0.9\`, \`a2ui=0.9.1\` or \`a2ui=0.8\`.`,
  );
}

/**
 * Chooses the version for the capabilities of a client.
 * @throws PilothouseError NOT_ACCEPTABLE if the client supports none of our catalogs
 */
function negotiateA2uiVersion(capabilities: A2uiCapabilities | undefined): A2uiVersion {
  if (!capabilities) return '0.9';
  const [version, { supportedCatalogIds: catalogs }] =
    'v0.9' in capabilities
      ? (['0.9', capabilities['v0.9']] as const)
      : 'v0.9.1' in capabilities
        ? (['0.9.1', capabilities['v0.9.1']] as const)
        : (['0.8', capabilities] as const);
  if (catalogs.includes(a2uiCatalogs[version])) return version;
  throw new PilothouseError(
    'NOT_ACCEPTABLE',
    `Supported catalogs: ${a2uiCatalogs['0.9']} (0.9, 0.9.1), ${a2uiCatalogs['0.8']} (0.8). Name one that the client supports.`,
  );
}

const EVENTS_PER_READ = 500;

/** Streams runs as A2UI user interfaces. */
export class A2uiStreamService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunSubmitter) private readonly submitter: RunSubmitter,
    @Inject(RunReader) private readonly reader: RunReader,
    @Inject(RunLifecycle) private readonly lifecycle: RunLifecycle,
  ) {}

  /** @throws PilothouseError NOT_FOUND, NOT_ACCEPTABLE, GONE */
  async streamRun(call: RouteRequest<typeof routes.streamRunA2ui>): Promise<HttpResponse<undefined>> {
    const { caller, params, query, headers } = call;
    const version = parseA2uiVersion(query.a2ui);
    const { view, eventSeq } = await this.runs.find(caller, params.run);
    const lastSeq = resumePosition(headers['last-event-id'], query.after, eventSeq);
    const hasEnded = isTerminal(view.status);
    // Only a run that has ended loses its events, and it loses all of them.
    if (hasEnded && (await this.reader.events(params.run, 0, 1)).length === 0) throw runDataDeleted(params.run);
    if (hasEnded && lastSeq !== null && lastSeq >= eventSeq) return new HttpResponse<undefined>(204, null);
    const format = await this.formatFor(caller, view, version, lastSeq);
    return sseResponse(call, this.lifecycle.watch(params.run, lastSeq ?? 0, call.signal), format);
  }

  /** Submits a run and streams it. The run is durable before the first byte of the response, and stays when the connection ends. */
  async submitAndStream(call: RouteRequest<typeof routes.submitRunA2ui>): Promise<HttpResponse<undefined>> {
    const { caller, body, headers } = call;
    const version = negotiateA2uiVersion(body.a2uiClientCapabilities);
    const { run } = await this.submitter.submit(
      { project: caller.project, kind: 'request', request: body.run },
      originOf(caller, headers['idempotency-key']),
    );
    const view = await this.runs.readSubmitted(caller, run);
    const format = await this.formatFor(caller, view, version, null);
    return sseResponse(call, this.lifecycle.watch(view.id, 0, call.signal), format, {
      location: `/v1/runs/${view.id}/a2ui?a2ui=${version}`,
    });
  }

  /**
   * Creates the SSE format of a run.
   * @param lastSeq number of the last event on the surface of the client; null: it has no surface yet
   */
  private async formatFor(
    caller: Caller,
    view: RunView,
    version: A2uiVersion,
    lastSeq: number | null,
  ): Promise<SseFormat> {
    const { items } = await this.runs.steps(caller, view.id);
    const writer = new A2uiStream(view.id, version, newRunCard(titleOf(view), items, view.surface));
    if (lastSeq !== null) await this.replaySilently(writer, view.id, lastSeq);
    return {
      opening: lastSeq === null ? framesOf(writer.start(), 0) : '',
      frames: (event) => framesOf(writer.update(event), event.seq),
      isLast: isLastRunEvent,
    };
  }

  /** Brings the writer to the state after `lastSeq` without writing messages. */
  private async replaySilently(writer: A2uiStream, run: string, lastSeq: number): Promise<void> {
    for (let lastReadSeq = 0; lastReadSeq < lastSeq;) {
      const events = await this.reader.events(run, lastReadSeq, Math.min(EVENTS_PER_READ, lastSeq - lastReadSeq));
      for (const event of events) writer.skip(event);
      const last = events.at(-1);
      if (!last) throw runDataDeleted(run);
      lastReadSeq = last.seq;
    }
  }
}

const titleOf = ({ goal, workflow, id }: RunView): string =>
  goal === null ? (workflow?.name ?? `Run ${id}`) : oneLine(goal, 200);

/** Formats the messages of an event as SSE. Only the last one has the id, so that a client that received some of them receives all again. */
const framesOf = (messages: readonly A2uiMessage[], seq: number): string =>
  messages
    .map((message, index) => {
      const id = index === messages.length - 1 ? `id: ${seq}\n` : '';
      return `${id}data: ${JSON.stringify(message)}\n\n`;
    })
    .join('');
