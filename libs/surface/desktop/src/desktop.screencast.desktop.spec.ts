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
  const countFrames = async (rate: number) => {
    const { frames, stop } = recordFrames(rate);
    await until('the first frame', () => frames.length > 0);
    const { length } = frames;
    await systemTimers.delay(COUNTED_MS);
    stop();
    const count = frames.length - length;
    expect(count).toBeLessThanOrEqual((COUNTED_MS / 1_000) * rate + 1);
    return count;
  };
  // On a busy machine, both rates may give equally few frames for a while.
  const isRateEffective = async () => (await countFrames(25)) > 2 * (await countFrames(5));
  await until('the higher rate gives more than twice the frames', isRateEffective, 60_000);
  await act({ action: 'press', key: 'Control+C' });
}, 90_000);

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
