import { stepSchema, stepSeconds, surfaceActionOf, type SurfaceStep } from './step.schema.ts';

const actionOf = (step: unknown) => surfaceActionOf(stepSchema.parse(step) as SurfaceStep);

test.each([
  { action: 'switchTab', title: 'Invoice' },
  { action: 'closeTab', title: 'Invoice' },
])('$action keeps the title of its tab', (action) => {
  expect(actionOf({ ...action, id: 'here', timeout: 5 })).toEqual(action);
});

test('a title for people is no field of the action', () => {
  expect(actionOf({ action: 'press', key: 'Enter', title: 'Confirm', approval: 'Really?' })).toEqual({
    action: 'press',
    key: 'Enter',
  });
});

test.each([
  ['mousepad', true],
  ['{{inputs.app}}', true],
  ['libreoffice-{{inputs.kind}}', true],
  ['xterm -e sh', false],
  ['{{inputs.app', false],
])('openApp with the application %j is valid: %j', (app, isValid) => {
  expect(stepSchema.safeParse({ action: 'openApp', app }).success).toBe(isValid);
});

test.each<[object, number]>([
  [{ action: 'press', key: 'Enter' }, 30],
  [{ action: 'press', key: 'A', holdSeconds: 10, times: 5 }, 80],
  [{ action: 'press', key: 'A', holdSeconds: 10, times: 5, timeout: 60 }, 60],
  [{ action: 'wait', seconds: 45 }, 75],
])('%j has %d s', (step, seconds) => expect(stepSeconds(stepSchema.parse({ id: 'here', ...step }))).toBe(seconds));
