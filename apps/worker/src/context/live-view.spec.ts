import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import type { ScreencastRequest } from '@pilothouse/infra-link';
import { until } from '@pilothouse/testing/test-helpers';
import { LiveView } from './live-view.ts';

/** A live view of a surface that shows scripted frames. */
function viewed() {
  const sentFrames: string[] = [];
  const screencasts: ScreencastSink[] = [];
  let requestScreencast: (watching: ScreencastRequest) => void = () => undefined;
  const view = new LiveView({
    sendFrame: async (jpeg) => void sentFrames.push(jpeg.toString()),
    onScreencastRequest: (listener) => (requestScreencast = listener),
  });
  const surface = {
    screencast: (sink: ScreencastSink) => {
      screencasts.push(sink);
      return () => void screencasts.splice(screencasts.indexOf(sink), 1);
    },
  };
  return {
    view,
    surface,
    shown: sentFrames,
    films: screencasts,
    watch: (durationMs: number, resendCurrent = false, framesPerSecond?: number) =>
      requestScreencast({ durationMs, resendCurrent, framesPerSecond }),
  };
}

test('a screencast runs only while there are viewers, including those from before the surface was open', async () => {
  const { view, surface, films: screencasts, shown: sentFrames, watch } = viewed();
  watch(60_000, true);
  expect(screencasts).toEqual([]);
  view.attach(surface);
  expect(screencasts).toMatchObject([{ maxWidth: 1280, maxHeight: 1280 }]);
  await screencasts[0]?.onFrame(Buffer.from('red'));
  expect(sentFrames).toEqual(['red']);
  watch(0);
  expect(screencasts).toEqual([]);
  // The last request determines the duration.
  watch(1);
  expect(screencasts).toHaveLength(1);
  await until('the screencast stopped', () => screencasts.length === 0);
});

test('a later viewer gets the current frame, and no viewer gets a frame twice', async () => {
  const { view, surface, films: screencasts, shown: sentFrames, watch } = viewed();
  view.attach(surface);
  watch(60_000, true);
  await screencasts[0]?.onFrame(Buffer.from('red'));
  watch(60_000);
  expect(sentFrames).toEqual(['red']);
  watch(60_000, true);
  expect([sentFrames, screencasts.length]).toEqual([['red', 'red'], 1]);
  view.close();
  expect(screencasts).toEqual([]);
  watch(60_000, true);
  expect(screencasts).toEqual([]);
});

test('the rate is the highest that a viewer wants while its request is valid', async () => {
  const { view, surface, films: screencasts, watch } = viewed();
  const rate = () => screencasts[0]?.maxFramesPerSecond;
  view.attach(surface);
  watch(60_000, true, 1);
  expect(rate()).toBe(1);
  watch(1, false, 25);
  watch(60_000, false, 1);
  expect(rate()).toBe(25);
  await until('the request of the faster viewer expires', () => {
    watch(60_000, false, 1);
    return rate() === 1;
  });
  // A gateway before this field wants all frames.
  watch(60_000);
  expect([rate(), screencasts.length]).toEqual([25, 1]);
  view.close();
});
