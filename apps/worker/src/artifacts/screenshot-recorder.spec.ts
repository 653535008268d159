import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { buildAssignment } from '@pilothouse/infra-link/testing';
import { attemptBase } from '../testing/attempt-base.fixture.ts';
import { ScreenshotRecorder } from './screenshot-recorder.ts';

const image: Screenshot = { body: Buffer.from('JPEG'), contentType: 'image/jpeg', width: 1, height: 1 };
const surface = { lossSignal: new AbortController().signal, screenshot: async () => image } as unknown as Surface;
const step: Step = { action: 'goBack' };

function aRecorder(screenshots: RunCapture['screenshots'], steps: Step[] = [step]) {
  const files: { step: number | null; name: string }[] = [];
  const { definition } = buildAssignment({ steps });
  const base = attemptBase({ assignment: { capture: { screenshots }, definition } });
  const recorder = new ScreenshotRecorder(base, {
    add: ({ step: number, name }) => void files.push({ step: number, name }),
  });
  return { recorder, files };
}

test.each([
  ['1', '01-goBack.jpg', undefined],
  ['12', '12-goBack.jpg', undefined],
  ['7/catch/1', '07-catch-01-goBack.jpg', undefined],
  ['3[2]/1', '03[002]-01-goBack.jpg', undefined],
  ['3[12]/10', '03[012]-10-goBack.jpg', undefined],
  ['orders[2]/1', '04[002]-01-goBack.jpg', '4[2]/1'],
])('the screenshot of the step at %s is %s', async (stepPath, name, label) => {
  const { recorder: screenshots, files } = aRecorder('on');
  await screenshots.afterStep(surface, { number: 8, path: stepPath, ...(label && { label }) }, step, undefined);
  expect(files).toEqual([{ step: 8, name }]);
});

test('the screenshot name of a step contains its id once', async () => {
  const { recorder: screenshots, files } = aRecorder('on');
  await screenshots.afterStep(surface, { number: 2, path: 'close', label: '3' }, { ...step, id: 'close' }, undefined);
  await screenshots.afterStep(
    surface,
    { number: 4, path: '3[1]/close', label: '3[1]/2' },
    { ...step, id: 'close' },
    undefined,
  );
  expect(files.map(({ name }) => name)).toEqual(['03-close.jpg', '03[001]-02-close.jpg']);
});

test('screenshots before a step and of its failure have the same position', async () => {
  const { recorder: screenshots, files } = aRecorder('before-and-after');
  const position = { number: 8, path: '7/catch/1' };
  screenshots.onBeforeAction(position, { ...step, id: 'close' })?.(image);
  await screenshots.afterFailure(surface, position, { ...step, id: 'close' });
  expect(files.map(({ name }) => name)).toEqual(['07-catch-01-close-before.jpg', '07-catch-01-close-failed.jpg']);
});

describe('the last page of a run', () => {
  const goal: Step = { action: 'goal', goal: 'Order a rope' };
  const open: Step = { action: 'navigate', url: 'https://shop.test/' };
  const page = { ...image, width: 800, height: 600 };
  const position = { number: 1, path: '2' };
  const withScreenshot = (screenshot: Screenshot) => ({ ...surface, screenshot: async () => screenshot }) as Surface;

  test.each<[RunCapture['screenshots'], Step[], Screenshot, string[]]>([
    ['only-on-failure', [step, goal], page, ['02-goal.jpg']],
    ['only-on-failure', [{ action: 'parallel', branches: { a: [open, goal], b: [open] } }], page, ['02-goal.jpg']],
    ['none', [step, goal], page, []],
    ['only-on-failure', [step], page, []],
    ['only-on-failure', [step, goal], image, []],
  ])('with %s and %j', async (policy, steps, screenshot, names) => {
    const { recorder, files } = aRecorder(policy, steps);
    await recorder.afterRun(withScreenshot(screenshot), position, goal);
    expect(files.map(({ name }) => name)).toEqual(names);
  });

  test('is stored once if its last step has a screenshot', async () => {
    const { recorder, files } = aRecorder('on', [step, goal]);
    await recorder.afterStep(withScreenshot(page), position, goal, undefined);
    await recorder.afterRun(withScreenshot(page), position, goal);
    expect(files).toHaveLength(1);
  });

  test('does not fail the run if the surface cannot show it', async () => {
    const { recorder, files } = aRecorder('only-on-failure', [goal]);
    const broken = { ...surface, screenshot: () => Promise.reject(new Error('no page')) } as unknown as Surface;
    await recorder.afterRun(broken, position, goal);
    expect(files).toEqual([]);
  });
});
