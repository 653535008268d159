import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import type { SessionClient } from './session/session-client.ts';

/** Milliseconds of one wait for a change. An unchanged screen costs one call in this time. */
const CHANGE_TIMEOUT_MS = 5_000;

/** Milliseconds until a failed capture is repeated. */
const RETRY_MS = 200;

/** Sends a frame for each change of the screen until the signal aborts. Never throws. */
export async function runScreencast(
  session: SessionClient,
  sink: ScreencastSink,
  signal: AbortSignal,
  timers: Timers = systemTimers,
): Promise<void> {
  const { maxWidth, maxHeight } = sink;
  let lastFrame: Buffer | undefined;
  while (!signal.aborted) {
    try {
      const startedAt = timers.monotonic();
      const { body, version } = await session.call(
        'capture',
        { format: 'jpeg', maxWidth, maxHeight, isLive: true },
        { signal },
      );
      const frame = Buffer.from(body);
      // Programs also redraw unchanged content.
      if (!lastFrame?.equals(frame)) await sink.onFrame(frame);
      lastFrame = frame;
      await waitForChange(session, version, signal);
      const restMs = 1_000 / sink.maxFramesPerSecond - (timers.monotonic() - startedAt);
      if (restMs > 0) await timers.delay(restMs);
    } catch {
      // The session ended, or was slow: the loop ends with its signal.
      if (session.lossSignal.aborted) return;
      await timers.delay(RETRY_MS);
    }
  }
}

async function waitForChange(session: SessionClient, version: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const options = { signal, timeoutMs: CHANGE_TIMEOUT_MS * 2 };
    const next = await session.call('waitForChange', { version, timeoutMs: CHANGE_TIMEOUT_MS }, options);
    if (next.version !== version) return;
  }
}
