import { PilothouseError, type FieldProblem } from '@pilothouse/contract';
import { eachString, parseTemplate, type FoundTemplate } from '../template.ts';

/** The templates in all texts of a value, and those that are not templates. */
export function findTemplates(value: unknown, base: string): { found: FoundTemplate[]; problems: FieldProblem[] } {
  const found: FoundTemplate[] = [];
  const problems: FieldProblem[] = [];
  eachString(
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
