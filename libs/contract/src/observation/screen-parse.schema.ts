import { z } from 'zod';

/* Elements that a vision model finds in the screenshot of a window. */

/** Maximum elements per screenshot. */
export const MAX_PARSED_ELEMENTS = 500;

/** Maximum bytes of a screenshot for the screen parser. */
export const MAX_PARSED_SCREENSHOT_BYTES = 3_000_000;

/** Maximum characters of a name. */
export const MAX_PARSED_NAME_CHARACTERS = 200;

const ratio = z.number().min(0).max(1);

/** An element of a screenshot. Its bounds are parts of the screenshot: 0 to 1. */
const parsedElementSchema = z.strictObject({
  kind: z.enum(['text', 'icon']),
  name: z.string().max(MAX_PARSED_NAME_CHARACTERS).describe('Text, or description of the icon'),
  interactive: z.boolean(),
  bounds: z.strictObject({ x: ratio, y: ratio, width: ratio, height: ratio }),
});
export const parsedElementsSchema = z.array(parsedElementSchema).max(MAX_PARSED_ELEMENTS);
export type ParsedElement = z.infer<typeof parsedElementSchema>;
