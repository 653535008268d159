import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { escapePointer, parseTemplate } from '../workflow/templates.ts';
import { helpers, type HelperName } from './playwright-helpers.ts';

/** Collects the code of a test: required helpers and unsupported parts. */
export class Writer {
  readonly problems: FieldError[] = [];
  private readonly usedHelpers = new Set<HelperName>();
  private nameCount = 0;
  /** Inputs of the current workflow. Text inputs need no conversion in templates. */
  inputs: Readonly<Record<string, WorkflowInput>> = {};

  /** Creates a unique name. */
  uniqueName(prefix: string): string {
    this.nameCount += 1;
    return `${prefix}${this.nameCount}`;
  }

  use(name: HelperName): HelperName {
    this.usedHelpers.add(name);
    for (const helper of helpers[name].needs) this.use(helper);
    return name;
  }

  /**
   * Reports an unsupported part.
   * @returns placeholder code
   */
  reportUnsupported(pointer: string, detail: string): string {
    this.problems.push({ pointer, detail });
    return 'undefined';
  }

  /** Code of the used helpers. */
  get helpers(): string[] {
    return (Object.keys(helpers) as HelperName[])
      .filter((name) => this.usedHelpers.has(name))
      .map((name) => helpers[name].code);
  }

  /** Any JSON with templates, as an expression. */
  value(value: Json): string {
    if (typeof value === 'string') {
      const parts = parseTemplate(value);
      const [only] = parts;
      return parts.length === 1 && only?.kind === 'template' ? pathCode(only.path) : this.text(value);
    }
    if (Array.isArray(value)) return `[${value.map((item) => this.value(item)).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const entries = Object.entries(value).map(([key, property]) => `${keyCode(key)}: ${this.value(property)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }

  /** A text with templates, as an expression of type string. */
  text(text: string): string {
    const parts = parseTemplate(text);
    if (parts.every((part) => part.kind === 'literal'))
      return stringLiteral(parts.map(({ text: literal }) => literal).join(''));
    const [only] = parts;
    if (parts.length === 1 && only?.kind === 'template') return this.templateCode(only.path);
    const code = parts.map((part) =>
      part.kind === 'literal' ? part.text.replaceAll(/[`\\]|\$\{/g, '\\$&') : `\${${this.templateCode(part.path)}}`,
    );
    return `\`${code.join('')}\``;
  }

  /** Code of an expression that is only a name. @returns null for other expressions */
  nameCode(source: string): string | null {
    if (source === 'true' || source === 'false') return source;
    return /^(?:inputs|steps|vars)(?:\.[A-Za-z_]\w*)+$/.test(source) ? pathCode(source.split('.')) : null;
  }

  private templateCode(path: readonly string[]): string {
    const [root, name = ''] = path;
    const isText = (root === 'inputs' && path.length === 2 && this.inputs[name]?.type === 'string') || root === 'run';
    return isText ? pathCode(path) : `${this.use('toText')}(${pathCode(path)})`;
  }
}

/** A string literal without characters that would break a line of code. */
export const stringLiteral = (text: string): string =>
  JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);

const keyCode = (key: string) =>
  /^[A-Za-z_$][\w$]*$/.test(key) && key !== '__proto__' ? key : `[${stringLiteral(key)}]`;

/** Code for a template path. Step values are properties of `steps` by id. */
function pathCode([root = '', name = '', ...rest]: readonly string[]): string {
  const inside = root === 'steps' ? rest.slice(1) : rest;
  return `${root}.${name}${inside.map((part) => (/^\d+$/.test(part) ? `?.[${part}]` : `?.${part}`)).join('')}`;
}

/** Indents lines by one level. */
export const indented = (lines: readonly string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

/** JSON Pointer of a child. */
export const childPointer = (pointer: string, ...keys: readonly (string | number)[]): string =>
  [pointer, ...keys.map((key) => escapePointer(String(key)))].join('/');

/** Code of a step: lines, and an expression for its value if it has one. */
export interface StepCode {
  readonly lines: readonly string[];
  readonly value?: string;
}
