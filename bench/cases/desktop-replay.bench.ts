/**
 * Repeats a task on a desktop without a model: opens an editor with a file, replaces its text, saves, and closes it. The peer is a script
 * that does the same with `xdotool`, on the same display in turns. Both end when the file has the new text and the window is closed.
 */
import { systemTimers } from '@pilothouse/core/time/timers';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { openBenchDesktop, timed, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';

const FILE = 'task.txt';

const TEXT = 'Invoice 4711 was paid on 24 November. The rest follows in December.';

/** Milliseconds for a saved file to be complete. */
const SAVE_TIMEOUT_MS = 20_000;

export const desktopReplay: Bench = async (options) => {
  const rounds = forSize(options, { smoke: 1, short: 6, full: 20 });
  const [ours, script]: [number[], number[]] = [[], []];
  const desktop = await openBenchDesktop();
  try {
    for (let round = 0; round < rounds; round += 1) {
      await resetFile(desktop);
      ours.push(await timed(() => replay(desktop)));
      await resetFile(desktop);
      const took = await timePeer(desktop, 'sh', ['-c', scriptOf(desktop.home)]);
      if (took !== null) script.push(took);
      options.log(`round ${round + 1}`);
    }
  } finally {
    await desktop.close();
  }
  return {
    figures: [
      plain('task in an editor as a workflow, median', round(median(ours)), 'ms'),
      plain('the same by an xdotool script, median', round(median(script)), 'ms'),
      atMost('workflow against script', median(ours) / median(script), 1.15, '×'),
    ],
    raw: { ours: seriesOf(ours), script: seriesOf(script) },
  };
};

async function resetFile({ home }: BenchDesktop): Promise<void> {
  const file = join(home, FILE);
  const { uid, gid } = await stat(home);
  await writeFile(file, 'old');
  // The user of the session writes it.
  await chown(file, uid, gid);
}

async function replay({ act, home }: BenchDesktop): Promise<void> {
  await act({ action: 'openApp', app: 'org.xfce.mousepad', args: [FILE] }, 60);
  await act({ action: 'waitFor', condition: { title: FILE } }, 30);
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'type', text: TEXT });
  await act({ action: 'press', key: 'Control+S' });
  const deadline = performance.now() + SAVE_TIMEOUT_MS;
  while ((await readFile(join(home, FILE), 'utf8')) !== TEXT) {
    if (performance.now() > deadline)
      throw new Error(`${FILE} does not have the text after ${SAVE_TIMEOUT_MS / 1_000} s`);
    await systemTimers.delay(10);
  }
  await act({ action: 'closeWindow' });
}

/** @param home folder of the file, which the shell gets in quotes */
const scriptOf = (home: string): string => `
set -e
mousepad --disable-server '${join(home, FILE)}' &
window=$(xdotool search --sync --onlyvisible --name '${FILE}' | head -n 1)
xdotool windowactivate --sync "$window"
xdotool key ctrl+a
xdotool type --delay 12 -- '${TEXT}'
xdotool key ctrl+s
tries=0
until [ "$(cat '${join(home, FILE)}')" = '${TEXT}' ]; do
  tries=$((tries + 1)); [ $tries -lt 2000 ]; sleep 0.01
done
xdotool key ctrl+q
wait
`;
