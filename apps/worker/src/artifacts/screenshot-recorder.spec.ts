import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Surface } from '@pilothouse/core/ports/surface.port';
import { attemptBase } from '../testing/attempt-base.fixture.ts';
import { ScreenshotRecorder } from './screenshot-recorder.ts';

const image: Screenshot = { body: Buffer.from('JPEG'), contentType: 'image/jpeg', width: 1, height: 1 };
const surface = { lossSignal: new AbortController().signal, screenshot: async () => image } as unknown as Surface;
const step: Step = { action: 'goBack' };

function aRecorder(screenshots: RunCapture['screenshots']) {
  const files: { step: number | null; name: string }[] = [];
  const base = attemptBase({ assignment: { capture: { screenshots } } });
  const recorder = new ScreenshotRecorder(base, {
    add: ({ step: number, name }) => void files.push({ step: number, name }),
  });
  return { recorder, files };
}

test.each([
  ['1', '01-goBack.jpg'],
  ['12', '12-goBack.jpg'],
  ['7/catch/1', '07-catch-1-goBack.jpg'],
  ['3[2]/1', '03[2]-1-goBack.jpg'],
  ['orders[2]/1', '09-orders[2]-1-goBack.jpg'],
])('the screenshot of the step at %s is %s', async (stepPath, name) => {
  const { recorder: screenshots, files } = aRecorder('on');
  await screenshots.afterStep(surface, { number: 8, path: stepPath }, step, undefined);
  expect(files).toEqual([{ step: 8, name }]);
});

test('the screenshot name of a step contains its id once', async () => {
  const { recorder: screenshots, files } = aRecorder('on');
  await screenshots.afterStep(surface, { number: 2, path: 'close' }, { ...step, id: 'close' }, undefined);
  await screenshots.afterStep(surface, { number: 4, path: '3[1]/close' }, { ...step, id: 'close' }, undefined);
  expect(files.map(({ name }) => name)).toEqual(['03-close.jpg', '03[1]-close.jpg']);
});

test('screenshots before a step and of its failure have the same position', async () => {
  const { recorder: screenshots, files } = aRecorder('before-and-after');
  const position = { number: 8, path: '7/catch/1' };
  screenshots.onBeforeAction(position, { ...step, id: 'close' })?.(image);
  await screenshots.afterFailure(surface, position, { ...step, id: 'close' });
  expect(files.map(({ name }) => name)).toEqual(['07-catch-1-close-before.jpg', '07-catch-1-close-failed.jpg']);
});
