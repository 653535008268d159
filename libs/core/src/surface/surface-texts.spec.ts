import { readFileSync } from 'node:fs';
import { surfaceTexts, storedTextsFile } from './surface-texts.fixture.ts';

const surfaces = ['browser', 'desktop'] as const;

/** Stored texts by their names. */
const storedTexts = (surface: (typeof surfaces)[number]): Record<string, string> =>
  Object.fromEntries(
    readFileSync(storedTextsFile(surface), 'utf8')
      .split(/^=== /m)
      .slice(1)
      .map((section) => {
        const [name = '', ...lines] = section.slice(0, -1).split('\n');
        return [name, lines.join('\n')];
      }),
  );

describe.each(surfaces)('models and people receive the stored texts on a %s', (surface) => {
  const texts = surfaceTexts(surface);
  const stored = storedTexts(surface);

  test('every text is stored', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(stored));
  });

  test.each(Object.keys(texts))('%s', (name) => {
    expect(texts[name]).toBe(stored[name]);
  });
});
