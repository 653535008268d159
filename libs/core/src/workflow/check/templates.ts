import { PilothouseError, type FieldError } from '@pilothouse/contract';
import { forEachString, parseTemplate, type FoundTemplate } from '../template.ts';

/** The templates in all texts of a value, and those that are not templates. */
export function lintTemplates(value: unknown, base: string): { found: FoundTemplate[]; problems: FieldError[] } {
  const found: FoundTemplate[] = [];
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      try {
        for (const part of parseTemplate(text)) if (part.kind === 'template') found.push({ ...part, pointer });
      } catch (thrown) {
        if (!(thrown instanceof PilothouseError)) throw thrown;
        problems.push({ pointer, detail: thrown.message });
      }
    },
    base,
  );
  return { found, problems };
}
