/**
 * Does 22 tasks in office programs, GIMP, a file manager, terminals, a Qt editor and KeePassXC, and looks at the files that they leave.
 * A false green is a task whose steps all completed although a file is wrong. Each task has a session of its own, and is repeated with two
 * busy loops per core. The peer of five tasks is an `xdotool` script on the same kind of session.
 */
import { systemTimers } from '@pilothouse/core/time/timers';
import { libreOfficeProfile } from '@pilothouse/testing/libreoffice-profile';
import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contextWithin } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';
import { autocorrectFiles } from '../../libs/surface/desktop/src/session/autocorrect.ts';
import type { DesktopTask, ScriptParts } from '../desktop-tasks/desktop-task.ts';
import { officeTasks } from '../desktop-tasks/office-tasks.ts';
import { programTasks } from '../desktop-tasks/program-tasks.ts';
import { atLeast, atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { saturateCores } from '../harness/busy-cores.ts';
import { openBenchDesktop, timePeer, type BenchDesktop } from '../harness/desktop-bench.ts';
import { median, round } from '../harness/statistics.ts';

/** Busy loops per core of the second pass. */
const LOOPS_PER_CORE = 2;

/** Seconds for one step. */
const STEP_TIMEOUT_S = 90;

/** Milliseconds for files to be written after the last step, and between two checks. */
const CHECK_TIMEOUT_MS = 5_000;
const CHECK_INTERVAL_MS = 200;

const tasks: readonly DesktopTask[] = [...officeTasks, ...programTasks];

/** One try of a task. */
interface TaskResult {
  readonly task: string;
  readonly seconds: number;
  /** Error of the step that failed; null: all completed. */
  readonly error: string | null;
  /** Difference of the files; null: they are right. */
  readonly difference: string | null;
}

export const desktopTasks: Bench = async (options) => {
  const { log, tasks: names, load = 'both' } = options;
  const times = options.times ?? forSize(options, { smoke: 1, short: 3, full: 3 });
  const unknown = (names ?? []).filter((name) => !tasks.some((task) => task.name === name));
  if (unknown.length > 0)
    throw new Error(`There is no task ${unknown.join(', ')}; there are ${tasks.map(({ name }) => name).join(', ')}`);
  const selected = tasks.filter(({ name }) => names?.includes(name) ?? true);
  const quiet = load === 'busy' ? [] : await doAll(selected, times, log);
  const peers = load === 'busy' ? new Map<string, number>() : await doScripts(selected, times, log);
  const stopLoops = load === 'quiet' ? null : saturateCores(LOOPS_PER_CORE);
  const busy = await (
    stopLoops ? doAll(selected, times, (line) => log(`busy cores: ${line}`)) : Promise.resolve([])
  ).finally(() => stopLoops?.());
  const falseGreens = [...quiet, ...busy].filter(({ error, difference }) => error === null && difference !== null);
  return {
    figures: [
      ...(quiet.length > 0 ? [atLeast('tasks with the right files', share(quiet), 95, '%')] : []),
      ...(busy.length > 0
        ? [atLeast(`the same with ${LOOPS_PER_CORE} busy loops per core`, share(busy), 90, '%')]
        : []),
      atMost(`false greens of ${quiet.length + busy.length} tries`, falseGreens.length, 0, 'tasks'),
      ...figuresOf(quiet, ''),
      ...figuresOf(busy, ', busy cores'),
      ...[...peers].map(([name, seconds]) => plain(`${name} by an xdotool script, median`, round(seconds), 's')),
    ],
    raw: { quiet, busy, peers: Object.fromEntries(peers) },
  };
};

const isRight = ({ error, difference }: TaskResult): boolean => error === null && difference === null;

const share = (results: readonly TaskResult[]): number => (100 * results.filter(isRight).length) / results.length;

const figuresOf = (results: readonly TaskResult[], suffix: string): Figure[] =>
  [...Map.groupBy(results, ({ task }) => task)].map(([task, tries]) =>
    plain(
      `${task}${suffix}, ${tries.filter(isRight).length} of ${tries.length} right, median`,
      round(median(tries.map(({ seconds }) => seconds))),
      's',
    ),
  );

async function doAll(
  selected: readonly DesktopTask[],
  times: number,
  log: (line: string) => void,
): Promise<TaskResult[]> {
  const results: TaskResult[] = [];
  for (let count = 0; count < times; count += 1)
    for (const task of selected) {
      const result = await withDesktop(task, (desktop) => doTask(task, desktop));
      results.push(result);
      const problem = [result.error, result.difference].filter((part) => part !== null).join('; files: ');
      log(`${task.name} ${result.seconds.toFixed(1)} s ${problem || 'right'}`);
    }
  return results;
}

async function doTask(task: DesktopTask, { act, home }: BenchDesktop): Promise<TaskResult> {
  const startedAt = performance.now();
  let error: string | null = null;
  for (const [index, step] of task.steps.entries()) {
    error = await act(step, STEP_TIMEOUT_S).then(
      () => null,
      (reason: Error) => `step ${index + 1} (${step.action}): ${reason.message}`,
    );
    if (error !== null) break;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const checked = await checkFiles(task, home);
  return { task: task.name, seconds, error, difference: checked === true ? null : checked };
}

/** Checks the files until they are right, for some seconds: applications write them in the background. */
async function checkFiles(task: DesktopTask, home: string): Promise<true | string> {
  const endsAt = performance.now() + CHECK_TIMEOUT_MS;
  for (;;) {
    const checked = await task.check(home).catch((reason: Error) => reason.message);
    if (checked === true || performance.now() > endsAt) return checked;
    await systemTimers.delay(CHECK_INTERVAL_MS);
  }
}

/** @returns median seconds of each script whose files are right, by task */
async function doScripts(
  selected: readonly DesktopTask[],
  times: number,
  log: (line: string) => void,
): Promise<Map<string, number>> {
  const medians = new Map<string, number>();
  for (const task of selected) {
    if (!task.script) continue;
    const seconds: number[] = [];
    for (let count = 0; count < times; count += 1) {
      const took = await withDesktop(task, async (desktop) => {
        const ms = await timePeer(desktop, 'sh', [
          '-c',
          `export HOME='${desktop.home}'\ncd "$HOME"\n${task.script?.(scriptParts(desktop.home)) ?? ''}`,
        ]);
        const checked = await checkFiles(task, desktop.home);
        if (checked !== true) throw new Error(`files: ${checked}`);
        return ms;
      }).catch((error: Error) => {
        log(`the script of ${task.name} failed: ${error.message.split('\n').at(-1) ?? ''}`);
        return null;
      });
      if (took !== null) seconds.push(took / 1_000);
    }
    if (seconds.length > 0) medians.set(task.name, median(seconds));
  }
  return medians;
}

/** Opens a session with the files of a task. */
async function withDesktop<Value>(task: DesktopTask, work: (desktop: BenchDesktop) => Promise<Value>): Promise<Value> {
  const desktop = await openBenchDesktop();
  try {
    for (const [path, content] of Object.entries({ ...officeSettings, ...task.files }))
      await putFile(desktop.home, path, content);
    await desktop.surface.waitUntilIdle(0, contextWithin(10));
    return await work(desktop);
  } finally {
    await desktop.close();
  }
}

/** Settings of LibreOffice: no tip of the day, and no AutoCorrect. */
const officeSettings = Object.fromEntries(
  Object.entries(autocorrectFiles).map(([path, text]) => [
    path,
    text.replace('</oor:items>', `${itemsOf(libreOfficeProfile[path] ?? '')}</oor:items>`),
  ]),
);

function itemsOf(settings: string): string {
  const start = settings.indexOf('<item ');
  return start < 0 ? '' : settings.slice(start, settings.indexOf('</oor:items>'));
}

/** The user of the session owns its files. */
async function putFile(home: string, path: string, content: string | Buffer): Promise<void> {
  const { uid, gid } = await stat(home);
  let folder = home;
  for (const name of dirname(path)
    .split('/')
    .filter((part) => part !== '.')) {
    folder = join(folder, name);
    await mkdir(folder, { recursive: true });
    await chown(folder, uid, gid);
  }
  await writeFile(join(home, path), content);
  await chown(join(home, path), uid, gid);
}

const scriptParts = (home: string): ScriptParts => ({
  open: (command, file) =>
    `set -e\n${command} '${file}' >/dev/null 2>&1 &\nwindow=$(xdotool search --sync --onlyvisible --name '${file}' | head -n 1)\nxdotool windowactivate --sync "$window"\nsleep 1`,
  save: (file, text) =>
    `xdotool key ctrl+s\ntries=0\nuntil grep -q '${text}' '${join(home, file)}'; do tries=$((tries + 1)); [ $tries -lt 600 ]; sleep 0.05; done\nxdotool key ctrl+q || true`,
});
