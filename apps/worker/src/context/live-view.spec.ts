import type { ScreencastSink } from '@pilothouse/core';
import type { ScreencastRequest } from '@pilothouse/infra-link';
import { until } from '@pilothouse/testing';
import { LiveView } from './live-view.ts';

/** A live view of a surface that shows scripted frames. */
function viewed() {
  const shown: string[] = [];
  const films: ScreencastSink[] = [];
  let tell: (watching: ScreencastRequest) => void = () => undefined;
  const view = new LiveView({
    sendFrame: async (jpeg) => void shown.push(jpeg.toString()),
    onScreencastRequest: (listener) => (tell = listener),
  });
  const surface = {
    screencast: (sink: ScreencastSink) => {
      films.push(sink);
      return () => void films.splice(films.indexOf(sink), 1);
    },
  };
  return {
    view,
    surface,
    shown,
    films,
    watch: (durationMs: number, resendCurrent = false) => tell({ durationMs, resendCurrent }),
  };
}

test('a screencast runs only while there are viewers, including those from before the surface was open', async () => {
  const { view, surface, films, shown, watch } = viewed();
  watch(60_000, true);
  expect(films).toEqual([]);
  view.attach(surface);
  expect(films).toMatchObject([{ maxWidth: 1280, maxHeight: 1280 }]);
  await films[0]?.onFrame(Buffer.from('red'));
  expect(shown).toEqual(['red']);
  watch(0);
  expect(films).toEqual([]);
  // The last request determines the duration.
  watch(1);
  expect(films).toHaveLength(1);
  await until('nobody looks any more', () => films.length === 0);
});

test('a later viewer gets the current frame, and no viewer gets a frame twice', async () => {
  const { view, surface, films, shown, watch } = viewed();
  view.attach(surface);
  watch(60_000, true);
  await films[0]?.onFrame(Buffer.from('red'));
  watch(60_000);
  expect(shown).toEqual(['red']);
  watch(60_000, true);
  expect([shown, films.length]).toEqual([['red', 'red'], 1]);
  view.close();
  expect(films).toEqual([]);
  watch(60_000, true);
  expect(films).toEqual([]);
});
