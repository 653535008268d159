import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ObservedDesktopHost } from './observed-desktop-host.fixture.ts';
import { WorkerHarness } from './worker-harness.fixture.ts';

type StepInput = WorkflowDefinitionInput['steps'][number];

/** Seconds for a step. Starting LibreOffice with a new profile is the slowest. */
const STEP_TIMEOUT_S = 20;

/**
 * Condition that a file of the home folder has to meet: its text, a pattern, or a check of its bytes. null: the file
 * must not exist.
 */
type FileCheck = string | RegExp | null | ((content: Buffer) => void | Promise<void>);

/** A workflow on a desktop, with the files that it starts with and those that it leaves. */
export interface DesktopTask {
  readonly title: string;
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly steps: WorkflowDefinitionInput['steps'];
  readonly output?: Json;
  /** Files of the home folder after the run, by path. */
  readonly saved?: Readonly<Record<string, FileCheck>>;
  /** Output of the run. */
  readonly returns?: Json;
}

/** Declares one test for each task. Each runs in a separate session, through a worker. */
export function desktopTasks(
  application: string,
  programs: readonly string[],
  tasks: readonly DesktopTask[],
  initialFiles: DesktopTask['files'] = {},
): void {
  describe(application, () => {
    let host: ObservedDesktopHost;
    let harness: WorkerHarness;

    beforeAll(async () => {
      const missing = programs.filter((program) => !isInstalled(program));
      if (missing.length > 0) throw new Error(`Install ${missing.join(', ')}: scripts/setup test does so`);
      host = await ObservedDesktopHost.start();
      harness = await WorkerHarness.start(host, 'desktop');
    }, 60_000);
    afterAll(async () => {
      await harness?.stop();
      await host?.close();
    }, 30_000);

    test.each(tasks.map((task) => [task.title, task] as const))(
      '%s',
      async (_, { files = {}, steps, output, saved = {}, returns }) => {
        host.initialFiles = { ...initialFiles, ...files };
        const run = harness.assign({
          surface: 'desktop',
          steps: steps.map(withTimeout),
          ...(output !== undefined && { output }),
        });
        const outcome = await harness.waitForOutcome(run);
        await host.untilClosed();
        expect({ error: null, ...outcome }).toMatchObject({ error: null, status: 'completed' });
        if (returns !== undefined) expect(outcome).toMatchObject({ output: returns });
        for (const [path, check] of Object.entries(saved)) await expectFile(host, path, check);
      },
      60_000,
    );
  });
}

/** A step that waits for a window or an element fails soon, so that a broken task says why. */
const withTimeout = (step: StepInput): StepInput => ({ timeout: STEP_TIMEOUT_S, ...step }) as StepInput;

async function expectFile(host: ObservedDesktopHost, path: string, check: FileCheck): Promise<void> {
  const content = host.files.get(path);
  if (check === null) return expect([...host.files.keys()]).not.toContain(path);
  expect([...host.files.keys()]).toContain(path);
  if (typeof check === 'string') expect(content?.toString('utf8')).toBe(check);
  else if (check instanceof RegExp) expect(content?.toString('utf8')).toMatch(check);
  else await check(content ?? Buffer.alloc(0));
}

const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
