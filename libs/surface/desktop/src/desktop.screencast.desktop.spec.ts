import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { until } from '@pilothouse/testing/test-helpers';
import type { DesktopSurface } from './desktop.surface.ts';
import { actor, contextWithin, startDesktopKit, type DesktopKit } from './testing/desktop.fixture.ts';

/** Milliseconds in which frames are counted. */
const COUNTED_MS = 2_000;

let kit: DesktopKit;
let surface: DesktopSurface;
const act = actor(() => surface);

beforeAll(async () => {
  kit = await startDesktopKit();
  surface = await kit.open();
  await act({ action: 'openApp', app: 'debian-xterm' });
}, 60_000);
afterAll(async () => expect(await kit.close()).toEqual({ files: [], pids: [] }), 30_000);

/** Records the frames of a screencast. */
function recordFrames(maxFramesPerSecond: number) {
  const frames: Buffer[] = [];
  const sink: ScreencastSink = {
    maxFramesPerSecond,
    maxWidth: null,
    maxHeight: null,
    onFrame: async (jpeg) => void frames.push(jpeg),
  };
  return { frames, stop: surface.screencast(sink) };
}

const run = async (command: string) => {
  await act({ action: 'type', text: command });
  await act({ action: 'press', key: 'Enter' });
};

const screen = async () => (await surface.screenshot({}, contextWithin(20))).body;

test('sends up to 25 frames per second of a changing screen, and at most the requested rate', async () => {
  await run('while :; do echo $RANDOM$RANDOM; sleep 0.01; done');
  const maxFrames = (rate: number) => (COUNTED_MS / 1_000) * rate + 1;
  const countFrames = async (frames: readonly Buffer[]) => {
    const { length } = frames;
    await systemTimers.delay(COUNTED_MS);
    return frames.length - length;
  };
  const slow = recordFrames(5);
  await until('the first frame', () => slow.frames.length > 0);
  expect(await countFrames(slow.frames)).toBeLessThanOrEqual(maxFrames(5));
  slow.stop();
  // A busy machine may send fewer for a while.
  const fast = recordFrames(25);
  const enoughFrames = async () => {
    const count = await countFrames(fast.frames);
    expect(count).toBeLessThanOrEqual(maxFrames(25));
    return count > maxFrames(5);
  };
  await until('more frames than the lower rate allows', enoughFrames, 100_000);
  fast.stop();
  await act({ action: 'press', key: 'Control+C' });
}, 150_000);

test('sends the last change of each burst, and nothing while the screen is unchanged', async () => {
  const { frames, stop } = recordFrames(25);
  for (let burst = 0; burst < 10; burst += 1) {
    await run(`clear; for i in $(seq ${40 + burst}); do echo $i $RANDOM; done; sleep 0.0${burst}; echo end ${burst}`);
    await surface.waitUntilIdle(300, contextWithin(20));
    // On a busy machine, the terminal may pause within a burst: the screen is read again.
    await until('the last change is sent', async () => {
      const current = await screen();
      return frames.at(-1)?.equals(current) ?? false;
    });
  }
  await surface.waitUntilIdle(1_000, contextWithin(20));
  const { length } = frames;
  await systemTimers.delay(COUNTED_MS);
  stop();
  expect(frames.length).toBe(length);
}, 90_000);
