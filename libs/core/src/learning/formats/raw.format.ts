import type { TraceFormat } from './format-types.ts';
import { canonicalJson } from '../dataset/canonical-json.ts';

/** The examples of the dataset. `picture` is a path, and `example` a JSON text, so that all lines have the same columns. */
export const rawFormat: TraceFormat = {
  unit: 'step',
  objectives: ['sft'],
  embedsPictures: () => false,
  format: (steps) => ({
    kind: 'lines',
    lines: steps.map(({ example, picture }) => ({
      id: `${example.run}/${example.ordinal}`,
      split: example.split,
      quality: example.quality,
      picture: picture?.path ?? null,
      example: canonicalJson(example),
    })),
    pictures: steps.filter(({ picture }) => picture).length,
  }),
};
