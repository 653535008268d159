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
  templates: FoundTemplate[],
): FieldError[] {
  if (idSchema.safeParse(file).success) return [];
  const [template, ...others] = templates.filter((template) => template.pointer === pointer);
  const isWholeTemplate =
    template !== undefined && others.length === 0 && template.source === file && template.path.length === 2;
  const input = isWholeTemplate && template.path[0] === 'inputs' ? inputs[template.path[1]] : undefined;
  if (input?.type === 'file') return [];
  const files = Object.entries(inputs).flatMap(([name, { type }]) => (type === 'file' ? [name] : []));
  return [{ pointer, detail: `Name an input of type file, as {{inputs.<name>}}; there are: ${joinNames(files)}` }];
}

/** Values of the user, and a column with the name `pattern`. */
const NOT_A_PATTERN = /\/(?:enum|const|default)(?:\/|$)|\/table\/columns\/pattern$/;

/** Patterns of a workflow file; to compile one takes up to two milliseconds. */
const MAX_PATTERNS = 300;

/** Different patterns in one file, counted before any is compiled. */
export function patternCountErrors(definition: LintedWorkflow): FieldError[] {
  const patterns = new Set<string>();
  let lastPointer = '';
  forEachString(
    definition as unknown as Json,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || patterns.size > MAX_PATTERNS) return;
      patterns.add(text);
      lastPointer = pointer;
    },
    '',
  );
  return patterns.size > MAX_PATTERNS
    ? [{ pointer: lastPointer, detail: `A workflow has at most ${MAX_PATTERNS} different patterns: remove some` }]
    : [];
}

/** Checks that every `pattern` is supported by `regex/linear-regex.ts`. */
export function patternErrors(value: ValueSchema | Step | Json, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || NOT_A_PATTERN.test(pointer)) return;
      const problem = patternProblem(text);
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/** A pattern in a locator of a step. */
const LOCATOR_PATTERN = /\/(?:target|to|visible|enabled|hidden|has|within|near|next)(?:\/\d+)?\/pattern$/;

/** Every `pattern` of a locator must be one, too; one with templates is known only when they are replaced. */
export function locatorProblems(step: Step, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    step as unknown as Json,
    (text, pointer) => {
      if (!LOCATOR_PATTERN.test(pointer) || text.includes('{{')) return;
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
const knownRoles: ReadonlySet<string> = new Set(roles);

/** Names without a role. */
const COMMON_ROLES: readonly string[] = [
  'button',
  'link',
  'textbox',
  'combobox',
  'checkbox',
  'heading',
  'row',
  'dialog',
];

/** Maximum number of suggested roles. */
const MAX_SUGGESTIONS = 4;

/** Fields whose value is a locator, or a list of some. */
const LOCATOR_ROLE = /\/(?:target|to|visible|enabled|hidden|near|has|within|next)(?:\/\d+)?\/role$/;

/** Values of the user. Their fields may have any name. */
const USER_VALUES = /\/(?:json|inputs|vars|outputSchema)\//;

/** Every `role` of a locator must be a role; one with templates is known only when they are replaced. */
export function roleErrors(value: unknown, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (role, pointer) => {
      const isOwn = USER_VALUES.test(pointer.slice(base.length));
      if (!LOCATOR_ROLE.test(pointer) || isOwn || role.includes('{{') || knownRoles.has(role)) return;
      problems.push({
        pointer,
        detail: `"${role}" is no role of ARIA; there are e.g. ${nearestRoles(role).join(', ')}`,
      });
    },
    base,
  );
  return problems;
}

/** The roles that may be meant, the nearest first. */
function nearestRoles(word: string): readonly string[] {
  const similarRoles = nearestWords(word, roles);
  return similarRoles.length > 0 ? similarRoles.slice(0, MAX_SUGGESTIONS) : COMMON_ROLES;
}
