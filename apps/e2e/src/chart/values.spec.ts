import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart } from './chart-tools.fixture.ts';
import { valuesOf } from '../../../../scripts/docs/values-page.ts';

const text = readFileSync(join(chart, 'values.yaml'), 'utf8');

describe('the values of the chart', () => {
  test('are few', () => expect(text.split('\n').length).toBeLessThanOrEqual(320));

  test('are each documented', () => {
    const values = valuesOf(text);
    expect(values.length).toBeGreaterThan(100);
    expect(values.filter(({ meaning }) => meaning.length < 5).map(({ path }) => path)).toEqual([]);
  });

  test('name no host of a registry', () => {
    const images = [...text.matchAll(/(?:image|repository): ([^\s,}]+)/g)].map(([, image = '']) => image);
    expect(images.length).toBeGreaterThanOrEqual(5);
    for (const image of images) expect(image.split('/')[0]).not.toMatch(/[.:]\w+$(?<!^\w+:[\d.]+)/);
  });
});
