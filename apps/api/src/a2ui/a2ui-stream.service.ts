import { Inject } from '@nestjs/common';
import { isTerminal, type A2uiMessage, type A2uiVersion, type routes, type RunView } from '@pilothouse/contract';
import { newRunCard, A2uiStream } from '@pilothouse/core';
import { RunReader } from '@pilothouse/infra-db';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest, Caller } from '../http/route-request.ts';
import type { SseFormat } from '../runs/events/sse-stream.ts';
import { sseResponse, resumePosition } from '../runs/events/sse-response.ts';
import { RunsService, runDataDeleted } from '../runs/runs.service.ts';
import { RunSubmissionService } from '../runs/run-submission.service.ts';
import { RunLifecycle } from '../run-lifecycle/run-lifecycle.ts';
import { parseA2uiVersion, negotiateA2uiVersion } from './a2ui-version.ts';

/** Events that are read at a time. */
const PAGE = 500;

/** Runs as user interfaces: streams of A2UI. */
export class A2uiStreamService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(RunSubmissionService) private readonly submits: RunSubmissionService,
    @Inject(RunReader) private readonly reader: RunReader,
    @Inject(RunLifecycle) private readonly way: RunLifecycle,
  ) {}

  /** @throws PilothouseError NOT_FOUND, NOT_ACCEPTABLE, GONE */
  async streamRun(call: RouteRequest<typeof routes.streamRunA2ui>): Promise<HttpResponse<undefined>> {
    const { caller, params, query, headers } = call;
    const version = parseA2uiVersion(query.a2ui);
    const { view, eventSeq } = await this.runs.find(caller, params.run);
    const seen = resumePosition(headers['last-event-id'], query.after, eventSeq);
    const ended = isTerminal(view.status);
    // Only what has ended loses its events, and then all at once.
    if (ended && (await this.reader.events(params.run, 0, 1)).length === 0) throw runDataDeleted(params.run);
    if (ended && seen !== null && seen >= eventSeq) return new HttpResponse<undefined>(204, null);
    const telling = await this.formatFor(caller, view, version, seen);
    return sseResponse(call, this.way.watch(params.run, seen ?? 0, call.signal), telling);
  }

  /** Takes a run in and tells it. The run is durable before the first byte of the answer, and stays when the connection goes. */
  async submitAndStream(call: RouteRequest<typeof routes.submitRunA2ui>): Promise<HttpResponse<undefined>> {
    const { caller, body, headers } = call;
    const version = negotiateA2uiVersion(body.a2uiClientCapabilities);
    const taken = await this.submits.submit(caller, body.run, headers['idempotency-key']);
    const view = taken.body as RunView;
    const telling = await this.formatFor(caller, view, version, null);
    return sseResponse(call, this.way.watch(view.id, 0, call.signal), telling, {
      location: `/v1/runs/${view.id}/a2ui?a2ui=${version}`,
    });
  }

  /**
   * How a run is told.
   * @param seen number of the last event that the client has seen on its surface; null: it has no surface yet
   */
  private async formatFor(
    caller: Caller,
    view: RunView,
    version: A2uiVersion,
    seen: number | null,
  ): Promise<SseFormat> {
    const { items } = await this.runs.steps(caller, view.id);
    const writer = new A2uiStream(view.id, version, newRunCard(titleOf(view), items));
    if (seen !== null) await this.replaySilently(writer, view.id, seen);
    return {
      opening: seen === null ? framesOf(writer.begin(), 0) : '',
      frames: (event) => framesOf(writer.tell(event), event.seq),
    };
  }

  private async replaySilently(writer: A2uiStream, run: string, seen: number): Promise<void> {
    for (let after = 0; after < seen;) {
      const events = await this.reader.events(run, after, Math.min(PAGE, seen - after));
      for (const event of events) writer.skip(event);
      const last = events.at(-1);
      if (!last) throw runDataDeleted(run);
      after = last.seq;
    }
  }
}

const titleOf = ({ workflow, id }: RunView): string => workflow?.name ?? `Run ${id}`;

/** Messages as frames. Only the last names the event: a client that has a part of them is told all of them again. */
const framesOf = (messages: readonly A2uiMessage[], seq: number): string =>
  messages
    .map((message, index) => {
      const id = index === messages.length - 1 ? `id: ${seq}\n` : '';
      return `${id}data: ${JSON.stringify(message)}\n\n`;
    })
    .join('');
