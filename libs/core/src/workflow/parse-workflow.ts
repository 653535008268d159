import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { type WorkflowDefinitionInput, workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { isAlias, isMap, isPair, isScalar, isSeq, type Document, type ParsedNode } from 'yaml';
import { storableTextErrors } from './storable-text.ts';
import { sourceProblems } from './lint/lint-source.ts';
import { lintDefinition } from './lint/lint-workflow.ts';
import { readYaml, YamlProblem, type YamlText } from './parse-yaml.ts';

/** Position in a file: line and column from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

/** Message of `fieldErrors` for an unknown key. */
const UNKNOWN_FIELD = /^Unknown field /;

type LinePosition = { line: number; col: number };

/**
 * Reads a workflow in YAML or JSON and checks all of it.
 * @param options.file name of the file, for messages
 * @throws PilothouseError VALIDATION_FAILED with `fields` and `details.positions`, one for each problem; the message begins
 *   with file, line and column of the first
 */
export function parseWorkflow(text: string, options: { file?: string } = {}): WorkflowDefinitionInput {
  const file = options.file ?? 'workflow';
  const { document, lines, value } = parseDocument(text, file);
  const positionAt = (offset: number | undefined) => lines.linePos(offset ?? 0);
  const nulIndex = text.indexOf('\0');
  if (nulIndex >= 0)
    throw toValidationError(
      file,
      [{ pointer: '', detail: 'The file contains a NUL character (U+0000): remove it' }],
      () => positionAt(nulIndex),
    );
  const parsed = workflowDefinitionSchema.safeParse(value);
  const fields = parsed.success
    ? [...storableTextErrors(value), ...lintDefinition(parsed.data)]
    : sourceProblems(value);
  if (parsed.success && fields.length === 0) {
    const { $schema, ...source } = value as WorkflowDefinitionInput;
    return source;
  }
  const describedFields = fields.map((field) => ({ ...field, detail: prefixValue(document, field) }));
  throw toValidationError(file, describedFields, (field) => positionAt(offsetOf(document, field)));
}

/**
 * Adds file positions to problems of a parsed workflow that the caller found.
 * @returns VALIDATION_FAILED as thrown by `parseWorkflow`
 */
export function locateFieldErrors(text: string, fields: readonly FieldError[], file: string): PilothouseError {
  const { document, lines } = parseDocument(text, file);
  return toValidationError(file, [...fields], (field) => lines.linePos(offsetOf(document, field) ?? 0));
}

const atStart = (): LinePosition => ({ line: 1, col: 1 });

function toValidationError(
  file: string,
  fields: FieldError[],
  positionOf: (field: FieldError) => LinePosition,
): PilothouseError {
  const positions = fields.map((field): SourcePosition => {
    const { line, col } = positionOf(field);
    return { line, column: col, pointer: field.pointer };
  });
  const [position] = positions;
  const suffix = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  return new PilothouseError(
    'VALIDATION_FAILED',
    `${file}:${position?.line ?? 1}:${position?.column ?? 1} ${fields[0]?.detail ?? ''}${suffix}`,
    { fields, details: { positions } },
  );
}

function parseDocument(text: string, file: string): YamlText {
  try {
    const yaml = readYaml(text);
    if (yaml) return yaml;
  } catch (thrown) {
    if (!(thrown instanceof YamlProblem)) throw thrown;
    throw toValidationError(file, [{ pointer: '', detail: thrown.message }], () => positionIn(text, thrown.offset));
  }
  throw toValidationError(
    file,
    [{ pointer: '', detail: 'The file is empty: a workflow needs at least `name` and `steps`' }],
    atStart,
  );
}

/** Line and column of an offset in a text that was not read to its end. */
function positionIn(text: string, offset: number): LinePosition {
  const precedingText = text.slice(0, offset);
  return { line: precedingText.split('\n').length, col: offset - precedingText.lastIndexOf('\n') };
}

const unescape = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** Nodes along a pointer, as far as they exist. The last is the closest. */
function nodesOn(
  document: Document.Parsed,
  pointer: string,
): { node: ParsedNode; value: ParsedNode | null; rest: number }[] {
  const keys = pointer.split('/').slice(1).map(unescape);
  const trail: { node: ParsedNode; value: ParsedNode | null; rest: number }[] = [];
  let current: ParsedNode | null | undefined = document.contents;
  if (current) trail.push({ node: current, value: current, rest: keys.length });
  for (const [index, key] of keys.entries()) {
    if (isAlias(current)) current = current.resolve(document) as ParsedNode | undefined;
    const rest = keys.length - index - 1;
    if (isMap(current)) {
      const pair = current.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (!isPair(pair)) break;
      current = pair.value as ParsedNode | null;
      trail.push({ node: (current ?? pair.key) as ParsedNode, value: current, rest });
      if (rest === 0) trail.push({ node: pair.key as ParsedNode, value: current, rest });
    } else if (isSeq(current)) {
      current = current.items[Number(key)] as ParsedNode | undefined;
      if (!current) break;
      trail.push({ node: current, value: current, rest });
    } else break;
  }
  return trail;
}

/** Position of a problem: the value if it is a scalar, otherwise the key. */
function offsetOf(document: Document.Parsed, { pointer, detail }: FieldError): number | undefined {
  const last = nodesOn(document, pointer).at(-1);
  const isScalarValue = last?.rest === 0 && isScalar(last.value) && !UNKNOWN_FIELD.test(detail);
  return (isScalarValue ? last.value : last?.node)?.range[0];
}

/** The message, prefixed with the value if it is short. Messages of unknown keys contain the key already. */
function prefixValue(document: Document.Parsed, { pointer, detail }: FieldError): string {
  if (UNKNOWN_FIELD.test(detail)) return detail;
  const last = nodesOn(document, pointer).at(-1);
  const location = pointer === '' ? '' : `${pointer}: `;
  if (last?.rest !== 0 || !isScalar(last.value)) return `${location}${detail}`;
  const json = JSON.stringify(last.value.value);
  return json === undefined || json.length > 60 ? `${location}${detail}` : `${json}: ${detail}`;
}
