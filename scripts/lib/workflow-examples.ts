import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError, type FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { lintDefinition } from '@pilothouse/core/workflow/lint/lint-workflow';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { parse } from 'yaml';

/** A ```yaml block of a page. */
interface YamlBlock {
  /** Line of the first line of YAML, from 1. */
  line: number;
  text: string;
}

/** Returns the ```yaml blocks of a page. A block with a further word, such as ```yaml values, is not a workflow. */
export function yamlBlocksOf(markdown: string): YamlBlock[] {
  const blocks: YamlBlock[] = [];
  let open: { indent: string; line: number; rows: string[]; isWorkflow: boolean } | null = null;
  for (const [index, row] of markdown.split('\n').entries()) {
    const fence = /^( *)```(.*)$/.exec(row);
    if (!fence) open?.rows.push(row.startsWith(open.indent) ? row.slice(open.indent.length) : row);
    else if (open) {
      if (open.isWorkflow) blocks.push({ line: open.line, text: open.rows.join('\n') });
      open = null;
    } else open = { indent: fence[1] ?? '', line: index + 2, rows: [], isWorkflow: fence[2]?.trim() === 'yaml' };
  }
  return blocks;
}

/** Messages of lint about names that only the whole workflow declares. */
const UNKNOWN_NAME = /unknown (?:input|step|variable) "|Use an input of type file|The profile has no name/;

/** Returns the problems of a list of steps by itself. Its surface is the one with fewer problems. */
function fragmentProblems(steps: unknown): FieldError[] {
  const problemsOn = (surface: 'browser' | 'desktop'): FieldError[] => {
    const parsed = workflowDefinitionSchema.safeParse({ name: 'example', surface, steps });
    if (!parsed.success) return fieldErrors(parsed.error);
    return lintDefinition(parsed.data).filter(({ detail }) => !UNKNOWN_NAME.test(detail));
  };
  const [best = []] = [problemsOn('browser'), problemsOn('desktop')].sort((a, b) => a.length - b.length);
  return best;
}

/** Returns the problems of a block: lints a workflow, and validates a list of steps. */
export function problemsOfBlock({ text, line }: YamlBlock, file: string): string[] {
  const located = (detail: string) => `${file}:${line} ${detail}`;
  let value: unknown;
  try {
    value = parse(text);
  } catch (thrown) {
    return [located((thrown as Error).message)];
  }
  if (Array.isArray(value))
    return fragmentProblems(value).map(({ pointer, detail }) =>
      located(`${pointer.replace('/steps', 'step ')}: ${detail}`),
    );
  if (typeof value !== 'object' || value === null || !('steps' in value))
    return [located('is neither a workflow nor a list of steps: mark it, e.g. as ```yaml values')];
  try {
    parseWorkflow(text, { file: 'block' });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    return [located(thrown.message)];
  }
}
