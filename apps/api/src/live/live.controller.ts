import { Readable } from 'node:stream';
import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import { HttpResponse } from '../http/http-response.ts';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { RunsService } from '../runs/runs.service.ts';
import { mjpegStream } from './frame-stream.ts';
import { LiveFrameRelay } from './live-frame-relay.ts';

/** Milliseconds after which the frame of an unchanged page is sent again. */
const REPEAT_FRAME_MS = 10_000;

/** Milliseconds without a read after which a viewer is disconnected. */
const STALLED_MS = 60_000;

@Controller()
export class LiveController {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(LiveFrameRelay) private readonly views: LiveFrameRelay,
  ) {}

  @Route(routes.watchRun)
  async watch({
    caller,
    params,
    query,
    signal,
    request,
  }: RouteRequest<typeof routes.watchRun>): Promise<HttpResponse<undefined>> {
    const { view, eventSeq } = await this.runs.find(caller, params.run);
    if (isTerminal(view.status)) return new HttpResponse<undefined>(204, null);
    request.stream.socket.setTimeout(STALLED_MS);
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    const end = () => over.abort();
    // Without a status of the run the stream ends, and the viewer reconnects.
    void this.runs.waitForEnd(view.id, eventSeq, ended).then(end, end);
    const frames = this.views.watch(view.id, ended, query.framesPerSecond, REPEAT_FRAME_MS);
    const { contentType, chunks } = mjpegStream(frames);
    return new HttpResponse<undefined>(200, Readable.from(chunks, { objectMode: false, highWaterMark: 1 }), {
      'content-type': contentType,
      // Frames come from workers: a viewer that opens the stream itself runs nothing of them.
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
  }
}
