import { type FieldError, type Json, type Step, type ValueSchema, idSchema, nearestWords } from '@pilothouse/contract';
import { patternProblem } from '../../regex/linear-regex.ts';
import { jsonPathProblem } from '../values/read-json.ts';
import { type FoundTemplate, forEachString } from '../templates.ts';
import { joinNames, type LintedWorkflow } from './lint-references.ts';

/** The file of an upload must be an id, or an input of type file. */
export function uploadErrors(
  { inputs }: LintedWorkflow,
  file: string,
  pointer: string,
  found: FoundTemplate[],
): FieldError[] {
  if (idSchema.safeParse(file).success) return [];
  const [template, ...others] = found.filter((one) => one.pointer === pointer);
  const whole = template !== undefined && others.length === 0 && template.source === file && template.path.length === 2;
  const input = whole && template.path[0] === 'inputs' ? inputs[template.path[1]] : undefined;
  if (input?.type === 'file') return [];
  const files = Object.entries(inputs).flatMap(([name, { type }]) => (type === 'file' ? [name] : []));
  return [{ pointer, detail: `Name an input of type file, as {{inputs.<name>}}; there are: ${joinNames(files)}` }];
}

/** Values of the user's own, and a column that happens to be called `pattern`. */
const noPattern = /\/(?:enum|const|default)(?:\/|$)|\/table\/columns\/pattern$/;

/** Patterns of a workflow file; to compile one takes up to two milliseconds. */
const MAX_PATTERNS = 300;

/** Different patterns in one file, counted before any is compiled. */
export function manyPatterns(definition: LintedWorkflow): FieldError[] {
  const patterns = new Set<string>();
  let over = '';
  forEachString(
    definition as unknown as Json,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || patterns.size > MAX_PATTERNS) return;
      patterns.add(text);
      over = pointer;
    },
    '',
  );
  return patterns.size > MAX_PATTERNS
    ? [{ pointer: over, detail: `A workflow has at most ${MAX_PATTERNS} different patterns: remove some` }]
    : [];
}

/** Checks that every `pattern` is supported by `regex/linear-regex.ts`. */
export function patternErrors(value: ValueSchema | Step | Json, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || noPattern.test(pointer)) return;
      const problem = patternProblem(text);
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/** A pattern in a locator of a step. */
const locatorPattern = /\/(?:target|to|visible|enabled|hidden|has|within|near|next)(?:\/\d+)?\/pattern$/;

/** Every `pattern` of a locator must be one, too; one with templates is known only when they are replaced. */
export function locatorProblems(step: Step, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    step as unknown as Json,
    (text, pointer) => {
      if (!locatorPattern.test(pointer) || text.includes('{{')) return;
      const problem = patternProblem(text);
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/** Every `path` into JSON must be a JSONPath; one with templates is known only when they are replaced. */
export function jsonPathErrors({ json, value, list }: Step & { action: 'extract' }, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    { json: { path: json?.path }, value, list },
    (text, pointer) => {
      const problem = pointer.endsWith('/path') && !text.includes('{{') ? jsonPathProblem(text) : null;
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/* Roles by which elements are found: a browser knows those of ARIA, and finds nothing by any other word. */

const roles =
  'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'.split(
    ' ',
  );
const known: ReadonlySet<string> = new Set(roles);

/** Names without a role. */
const usual: readonly string[] = ['button', 'link', 'textbox', 'combobox', 'checkbox', 'heading', 'row', 'dialog'];

/** Most roles that are named. */
const MOST = 4;

/** Fields whose value is a locator, or a list of some. */
const inLocator = /\/(?:target|to|visible|enabled|hidden|near|has|within|next)(?:\/\d+)?\/role$/;

/** Values of the user's own, in which a field may have any name. */
const own = /\/(?:json|inputs|vars|outputSchema)\//;

/** Every `role` of a locator must be a role; one with templates is known only when they are replaced. */
export function roleErrors(value: unknown, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (role, pointer) => {
      const isOwn = own.test(pointer.slice(base.length));
      if (!inLocator.test(pointer) || isOwn || role.includes('{{') || known.has(role)) return;
      problems.push({ pointer, detail: `"${role}" is no role of ARIA; there are e.g. ${near(role).join(', ')}` });
    },
    base,
  );
  return problems;
}

/** The roles that may be meant, the nearest first. */
function near(word: string): readonly string[] {
  const found = nearestWords(word, roles);
  return found.length > 0 ? found.slice(0, MOST) : usual;
}
