import { DEFAULT_SURFACE } from '@pilothouse/core/surface/surface-traits';
import { readYaml, type YamlText } from '@pilothouse/core/workflow/parse-yaml';
import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml';
import { listFields } from './edit-steps.ts';
import { keyOf, type Path } from './yaml-path.ts';

/** A step in the graph. */
export interface OutlineStep {
  path: Path;
  /** Path as a JSON pointer. */
  key: string;
  action: string;
  /** Title, or else the action. */
  name: string;
  /** Summary of the main fields: target, URL, text. */
  detail: string;
  /** Fields as plain data. */
  value: Readonly<Record<string, unknown>>;
  lists: OutlineList[];
  /** First and last line in the file, from 1. */
  lines: { first: number; last: number };
}

/** Steps under a field of a block or the workflow. */
export interface OutlineList {
  path: Path;
  field: string;
  steps: OutlineStep[];
}

/** Parts of a workflow file that the graph shows. */
export interface Outline {
  steps: OutlineList;
  /** Inputs without validation. */
  inputs: Readonly<Record<string, unknown>>;
  /** Surface kind. */
  surface: string;
}

/**
 * Reads the outline of a workflow. Invalid steps are included: every map in a step list counts.
 * @param acceptsSteps true if an action contains steps; such a step has a list even without steps
 * @returns null if the text is no YAML map within the limits of a workflow file
 */
export function readOutline(text: string, acceptsSteps: (action: string) => boolean): Outline | null {
  let parsed: YamlText | null;
  try {
    parsed = readYaml(text);
  } catch {
    return null;
  }
  if (!parsed || !isMap(parsed.document.contents)) return null;
  const { document, lines } = parsed;
  const plain = parsed.value as Record<string, unknown>;

  const list = (node: unknown, value: unknown, path: Path): OutlineList => ({
    path,
    field: String(path.at(-1)),
    steps: isSeq(node)
      ? (node as YAMLSeq).items.flatMap((item, index) =>
          isMap(item) ? [step(item, (value as unknown[])[index], [...path, index])] : [],
        )
      : [],
  });
  const step = (node: YAMLMap, rawValue: unknown, path: Path): OutlineStep => {
    const value = (rawValue ?? {}) as Record<string, unknown>;
    const action = typeof value.action === 'string' ? value.action : '';
    const [start = 0, end = 0] = node.range ?? [];
    return {
      path,
      key: keyOf(path),
      action,
      name: typeof value.title === 'string' && value.title ? value.title : action || 'No action selected',
      detail: detailOf(value),
      value,
      lists: [
        ...listFields.flatMap((field) => {
          const inner = node.get(field, true);
          const hasList = isSeq(inner) || (field === 'steps' && acceptsSteps(action));
          return hasList ? [list(inner, value[field], [...path, field])] : [];
        }),
        ...Object.entries(branchesOf(value)).flatMap(([name, branch]) => {
          const inner = node.getIn(['branches', name], true);
          return isSeq(inner) ? [list(inner, branch, [...path, 'branches', name])] : [];
        }),
      ],
      lines: { first: lines.linePos(start).line, last: lines.linePos(Math.max(start, end - 1)).line },
    };
  };
  const { inputs, surface } = plain;
  return {
    steps: list(document.get('steps', true), plain.steps, ['steps']),
    inputs: inputs && typeof inputs === 'object' ? (inputs as Record<string, unknown>) : {},
    surface: typeof surface === 'string' ? surface : DEFAULT_SURFACE,
  };
}

/** Branches of a `parallel` step by name. Branches with steps appear in the graph; HTTP requests are part of the summary. */
const branchesOf = ({ branches }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  branches && typeof branches === 'object' && !Array.isArray(branches) ? (branches as Record<string, unknown>) : {};

/** All steps in the order of the file. */
export const allSteps = (list: OutlineList): OutlineStep[] =>
  list.steps.flatMap((step) => [step, ...step.lists.flatMap(allSteps)]);

/** Fields for the summary of a step, most important first. */
const detailFields = [
  'url',
  'goal',
  'in',
  'until',
  'next',
  'workflow',
  'target',
  'condition',
  'text',
  'key',
  'seconds',
  'vars',
];

function detailOf(value: Readonly<Record<string, unknown>>): string {
  const setFields = detailFields.filter((field) => value[field] !== undefined).slice(0, 2);
  const requests = Object.entries(branchesOf(value)).filter(([, branch]) => !Array.isArray(branch));
  return [
    ...setFields.map((field) => summarize(value[field])),
    ...requests.map(([name, request]) => `${name}: ${summarize(request)}`),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Short text for a value. */
function summarize(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return summarize(value[0]);
  if (typeof value !== 'object') return String(value);
  const { role, name, ...rest } = value as Record<string, unknown>;
  if (role !== undefined) return [role, name].filter(Boolean).map(String).join(' ');
  return Object.entries(rest)
    .map(([key, field]) => `${key} ${summarize(field)}`.trim())
    .join(', ');
}
