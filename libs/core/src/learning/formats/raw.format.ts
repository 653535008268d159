import type { TraceFormat } from './format-types.ts';
import { canonicalJson } from '../dataset/canonical-json.ts';

/** The examples of the dataset. `image` is a path, and `example` a JSON text, so that all lines have the same columns. */
export const rawFormat: TraceFormat = {
  unit: 'step',
  objectives: ['sft'],
  embedsImages: () => false,
  format: (steps) => ({
    kind: 'lines',
    lines: steps.map(({ example, image }) => ({
      id: `${example.run}/${example.ordinal}`,
      split: example.split,
      quality: example.quality,
      image: image?.path ?? null,
      example: canonicalJson(example),
    })),
    images: steps.filter(({ image }) => image).length,
  }),
};
