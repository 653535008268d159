import { FormProblem } from '../shared/form-problem.ts';
import { learningOf } from './learning-form.ts';

const read = (fields: Record<string, string>) => learningOf((field) => fields[field] ?? '');

test.each([
  [{ turns: 'off' }, null],
  [{ turns: 'all' }, { record: { turns: 'all' }, shareTraces: false }],
  [
    { turns: 'sample', samplePercent: ' 25 ' },
    { record: { turns: 'sample', samplePercent: 25 }, shareTraces: false },
  ],
  [
    { turns: 'off', shareTraces: 'on' },
    { record: { turns: 'off' }, shareTraces: true },
  ],
])('the form %j is the setting %j', (fields, expected) => {
  expect(read(fields as Record<string, string>)).toEqual(expected);
});

test.each(['0', '101', '2.5', 'ten'])('%s is no percentage', (samplePercent) => {
  expect(() => read({ turns: 'sample', samplePercent })).toThrow(FormProblem);
});

test('an unknown mode is not saved as off', () => {
  expect(() => read({ turns: 'some' })).toThrow(FormProblem);
});
