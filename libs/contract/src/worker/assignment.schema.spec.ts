import { storedDefinitionSchema } from './assignment.schema.ts';
import { workflowDefinitionSchema } from '../workflow/workflow.schema.ts';

const source = (name: string) => ({ name, steps: [{ action: 'navigate', url: 'https://example.com/' }] });

test('a definition is parsed once and equals the output of the schema', () => {
  const first = storedDefinitionSchema.parse(source('same'));
  expect(first).toEqual(workflowDefinitionSchema.parse(source('same')));
  expect(storedDefinitionSchema.parse(source('same'))).toBe(first);
  expect(() => first.steps.pop()).toThrow(TypeError);
  expect(storedDefinitionSchema.parse(source('other')).name).toBe('other');
});

test('an invalid definition is rejected each time, with the field', () => {
  for (const wrong of [{ name: 'wrong', steps: [{ action: 'navigate' }] }, undefined, null])
    for (const time of [1, 2]) {
      const parsed = storedDefinitionSchema.safeParse(wrong);
      expect({ time, success: parsed.success }).toEqual({ time, success: false });
      if (wrong) expect(parsed.error?.issues[0]?.path.slice(0, 2)).toEqual(['steps', 0]);
    }
});

test('the least recently used definitions are evicted', () => {
  const first = storedDefinitionSchema.parse(source('first'));
  const recentlyUsed = storedDefinitionSchema.parse(source('used'));
  for (let number = 0; number < 200; number += 1) {
    storedDefinitionSchema.parse(source(`more-${number}`));
    expect(storedDefinitionSchema.parse(source('used'))).toBe(recentlyUsed);
  }
  expect(storedDefinitionSchema.parse(source('first'))).not.toBe(first);
});
