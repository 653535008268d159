import type { Program } from './interpreter-state.ts';
import { sortableNumber, stepNumber, stepOfPointer } from './step-number.ts';

const read = { action: 'reload' } as const;
const program: Program = {
  steps: [
    { ...read, id: 'open' },
    { action: 'group', if: 'true', steps: [{ ...read, id: 'inner' }], else: [read, { ...read, id: 'other' }] },
    {
      action: 'loop',
      id: 'orders',
      until: { text: 'end' },
      steps: [read, { ...read, id: 'visit' }],
      maxIterations: 9,
    },
    { action: 'try', id: 'safe', steps: [read], catch: [{ ...read, id: 'repair' }], finally: [read] },
    { action: 'parallel', id: 'both', branches: { left: [read, { ...read, id: 'total' }] } },
    { action: 'call', id: 'log-in', workflow: 'sign-in' },
  ] as unknown as Program['steps'],
  workflows: { 'sign-in': { steps: [read, { ...read, id: 'submit' }] } } as unknown as Program['workflows'],
};

test.each([
  ['open', '1'],
  ['1', '1'],
  ['2/inner', '2/1'],
  ['2/else/other', '2/else/2'],
  ['2/if', '2/if'],
  ['orders[2]/visit', '3[2]/2'],
  ['orders[12]/until', '3[12]/until'],
  ['safe/catch/repair', '4/catch/1'],
  ['safe/finally/1', '4/finally/1'],
  ['both/left/total', '5/left/2'],
  ['6/submit', '6/2'],
  ['gone', 'gone'],
  ['orders[2]/gone', 'orders[2]/gone'],
  ['7', '7'],
])('the step at %s has the number %s', (path, number) => expect(stepNumber(program, path)).toBe(number));

test.each([
  ['/steps/0/target/role', '1', '/target/role'],
  ['/steps/1/else/1', '2/else/2', ''],
  ['/steps/2/steps/0/url', '3/1', '/url'],
  ['/steps/3/catch/0/retry/attempts', '4/catch/1', '/retry/attempts'],
  ['/steps/4/branches/left/1/url', '5/left/2', '/url'],
])('%s points into step %s', (pointer, step, field) => expect(stepOfPointer(pointer)).toEqual({ step, field }));

test.each(['', '/name', '/inputs/steps', '/workflows/sign-in/steps/0/url', '/steps'])(
  '%s points to no step',
  (pointer) => expect(stepOfPointer(pointer)).toBeNull(),
);

test('numbers in names sort in step order', () => {
  const numbers = [
    '1',
    '2/1',
    '2/else/2',
    '3[1]/1',
    '3[2]/1',
    '3[2]/10',
    '3[10]/2',
    '3[100]/1',
    '4/1',
    '4/catch/1',
    '10',
  ];
  const names = numbers.map((number) => `${sortableNumber(number)}-click.jpg`);
  expect(names.toSorted()).toEqual(names);
  expect(sortableNumber('7/catch/1')).toBe('07-catch-01');
});
