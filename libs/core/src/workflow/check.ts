import { assertNever, eachNode, idSchema, isBlock, listsOf, PilothouseError } from '@pilothouse/contract';
import type {
  Block,
  BlockOf,
  FieldProblem,
  Json,
  Node,
  NodeList,
  Step,
  ValueSchema,
  WorkflowDefinition,
} from '@pilothouse/contract';
import { parseExpression } from '../program/expression.ts';
import { secretNamed } from '../program/scope.ts';
import { checkInput, inputValueSchema } from './inputs.ts';
import { jsonPathProblem } from './read-json.ts';
import { misfit, stepShape } from './shape.ts';
import { eachString, escapePointer, parseTemplate, type FoundTemplate } from './template.ts';

type Checked = Pick<WorkflowDefinition, 'inputs' | 'steps' | 'output' | 'outputSchema' | 'workflows' | 'browser'>;

/** What a place in a workflow knows. */
interface Known {
  readonly definition: Checked;
  /** Steps and blocks with an id, with their turn in the file. */
  readonly ids: ReadonlyMap<string, { readonly node: Node; readonly turn: number }>;
  /** Turn of the place. */
  readonly turn: number;
  /** Ids of the blocks around it: their value is not there yet. */
  readonly around: readonly string[];
  readonly vars: ReadonlySet<string>;
}

/**
 * What is wrong with a definition beyond the form of its fields: templates and expressions that name what is not there (yet), secrets
 * where they would be seen, regular expressions and defaults that cannot work, calls that go round in a circle. Empty when all is well.
 */
export function checkDefinition(definition: Checked): FieldProblem[] {
  const { workflows = {} } = definition;
  return [
    ...oneProblems(definition, ''),
    ...Object.entries(workflows).flatMap(([name, called]) =>
      oneProblems({ ...called, workflows }, `/workflows/${escapePointer(name)}`),
    ),
    ...circleProblems(workflows),
    ...profileProblems(definition),
  ];
}

/** Throws what `checkDefinition` finds. @throws PilothouseError VALIDATION_FAILED */
export function checkDefinitionOrThrow(definition: Checked): void {
  const fields = checkDefinition(definition);
  const [first] = fields;
  if (!first) return;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `The workflow is not valid at ${first.pointer}: ${first.detail}${more}`,
    {
      fields,
    },
  );
}

/** Problems of a workflow by itself. */
function oneProblems(definition: Checked, base: string): FieldProblem[] {
  const all = [...eachNode(definition.steps)];
  const ids = new Map(
    all.flatMap(({ node }, turn) => (node.id === undefined ? [] : [[node.id, { node, turn }] as const])),
  );
  const walk = new Walk();
  const known = { definition, ids, turn: 0, around: [], vars: new Set<string>() };
  const vars = walk.list(definition.steps, `${base}/steps`, known);
  const end = { ...known, turn: all.length, vars };
  return [
    ...inputProblems(definition, base),
    ...browserProblems({ ...known, turn: -1 }, base),
    ...walk.problems,
    ...outputProblems(end, base),
  ];
}

function inputProblems({ inputs }: Checked, base: string): FieldProblem[] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const pointer = `${base}/inputs/${escapePointer(name)}`;
    const patterns = patternProblems(inputValueSchema(input), pointer);
    if (patterns.length > 0 || input.default === undefined) return patterns;
    if (input.default === null && input.optional) return [];
    return checkInput(input, input.default, `${pointer}/default`).map(({ pointer: at, detail }) => ({
      pointer: at,
      detail: `The default ${detail}`,
    }));
  });
}

/** What the browser is told, it is told before the first step; a secret only for the origin it is for. */
function browserProblems(known: Known, base: string): FieldProblem[] {
  const { found, problems } = findTemplates(known.definition.browser, `${base}/browser`);
  for (const template of found) {
    const secretAllowed = /^\/browser\/auth\/(?:username|password)$/.test(template.pointer);
    problems.push(...templateProblems(known, template, secretAllowed));
  }
  return problems;
}

/** Goes through lists of steps in the order of the file, and collects what is wrong. */
class Walk {
  readonly problems: FieldProblem[] = [];
  private turn = 0;

  /** @returns the variables that are known after the list */
  list(nodes: readonly Node[], base: string, known: Known): ReadonlySet<string> {
    let vars = known.vars;
    for (const [index, node] of nodes.entries()) {
      vars = this.node(node, `${base}/${index}`, { ...known, turn: this.turn, vars });
    }
    return vars;
  }

  private node(node: Node, base: string, known: Known): ReadonlySet<string> {
    this.turn += 1;
    const { when } = node;
    if (typeof when === 'string') this.expression(when, `${base}/when`, known);
    else if (when) this.templates(when, `${base}/when`, known);
    if (!isBlock(node)) {
      this.step(node, base, known);
      return known.vars;
    }
    const around = node.id === undefined ? known.around : [...known.around, node.id];
    return this.block(node, base, { ...known, around });
  }

  private block(node: Block, base: string, known: Known): ReadonlySet<string> {
    const inside = (field: NodeList['field'], more: readonly string[] = []) => {
      const list = listsOf(node).find((one) => one.field === field)?.list ?? [];
      return this.list(list, `${base}/${field}`, { ...known, vars: new Set([...known.vars, ...more]) });
    };
    const without = (vars: ReadonlySet<string>, names: readonly string[]) =>
      new Set([...vars].filter((name) => known.vars.has(name) || !names.includes(name)));
    switch (node.action) {
      case 'group':
        return new Set([...inside('steps'), ...inside('else')]);
      case 'try': {
        const name = node.as ?? 'error';
        const caught = without(inside('catch', [...inside('steps'), name]), [name]);
        return new Set([...caught, ...inside('finally', [...caught])]);
      }
      case 'set': {
        const vars = new Set(known.vars);
        for (const [name, value] of Object.entries(node.vars)) {
          const pointer = `${base}/vars/${escapePointer(name)}`;
          if (typeof value === 'string') this.expression(value, pointer, { ...known, vars });
          vars.add(name);
        }
        return vars;
      }
      case 'call':
        this.call(node, base, known);
        return known.vars;
      case 'forEach':
      case 'forEachPage':
      case 'repeat': {
        if (node.action === 'forEachPage') this.templates(node.next, `${base}/next`, known);
        if (node.action === 'forEach' && typeof node.in === 'string') this.expression(node.in, `${base}/in`, known);
        else if (node.action === 'forEach') this.templates(node.in, `${base}/in`, known);
        const own = [
          ...(node.action === 'forEach' ? [node.as ?? 'item'] : []),
          ...(node.index === undefined ? [] : [node.index]),
        ];
        const vars = inside('steps', own);
        const after = { ...known, turn: this.turn, vars };
        if (node.action === 'repeat' && typeof node.until === 'string')
          this.expression(node.until, `${base}/until`, after);
        else if (node.action === 'repeat') this.templates(node.until, `${base}/until`, after);
        if (node.collect !== undefined) this.templates(node.collect, `${base}/collect`, after);
        return without(vars, own);
      }
      default:
        return assertNever(node);
    }
  }

  private step(step: Step, base: string, known: Known): void {
    const { when, ...rest } = step;
    const found = this.templates(rest, base, known, secretPlaces(step, base));
    if (step.action === 'extract') this.problems.push(...patternProblems(step, base), ...pathProblems(step, base));
    if (step.action === 'upload')
      this.problems.push(...uploadProblems(known.definition, step.file, `${base}/file`, found));
  }

  private call(node: BlockOf<'call'>, base: string, known: Known): void {
    const given = node.inputs ?? {};
    const called = known.definition.workflows?.[node.workflow];
    for (const [name, value] of Object.entries(given)) {
      const pointer = `${base}/inputs/${escapePointer(name)}`;
      const input = called && Object.hasOwn(called.inputs, name) ? called.inputs[name] : undefined;
      if (called && !input) {
        const detail = `The workflow ${node.workflow} has no such input; there are: ${names(Object.keys(called.inputs))}`;
        this.problems.push({ pointer, detail });
      }
      // Of a workflow of the project nothing is known here: whether it takes a secret is seen when the run is submitted.
      const secret = called && !input?.secret ? undefined : secretNamed(value);
      const isSecret = secret !== undefined && known.definition.inputs[secret]?.secret === true;
      this.templates(value, pointer, known, isSecret ? [pointer] : []);
      if (input?.secret && !isSecret) {
        this.problems.push({
          pointer,
          detail: 'This input is secret: give it a secret input, whole, as {{inputs.<name>}}',
        });
      }
    }
    for (const [name, { default: initial, optional }] of Object.entries(called?.inputs ?? {})) {
      if (Object.hasOwn(given, name) || initial !== undefined || optional) continue;
      this.problems.push({ pointer: `${base}/inputs`, detail: `The input "${name}" of ${node.workflow} is missing` });
    }
  }

  /** @param secretAt places where, and under which, a secret may stand */
  private templates(value: unknown, base: string, known: Known, secretAt: readonly string[] = []): FoundTemplate[] {
    const { found, problems } = findTemplates(value, base);
    const mayHold = (pointer: string) => secretAt.some((place) => pointer === place || pointer.startsWith(`${place}/`));
    for (const template of found) problems.push(...templateProblems(known, template, mayHold(template.pointer)));
    this.problems.push(...problems);
    return found;
  }

  private expression(source: string, pointer: string, known: Known): void {
    try {
      for (const path of parseExpression(source).names) this.problems.push(...nameProblems(known, path, pointer));
    } catch (thrown) {
      if (!(thrown instanceof PilothouseError)) throw thrown;
      this.problems.push({ pointer, detail: thrown.message });
    }
  }
}

/** Where a secret may stand in a step: what is typed into a page, and what a request holds besides its URL. */
function secretPlaces(step: Step, base: string): string[] {
  if (step.action === 'type') return [`${base}/text`];
  const inRequest = (at: string) => ['headers', 'body', 'json'].map((field) => `${at}/${field}`);
  if (step.action === 'parallel')
    return Object.keys(step.branches).flatMap((name) => inRequest(`${base}/branches/${escapePointer(name)}`));
  return step.action === 'http' ? inRequest(base) : [];
}

/** What an expression names is what templates name, but for the epoch of a run. */
function nameProblems(known: Known, path: readonly string[], pointer: string): FieldProblem[] {
  const [root, name, third] = path;
  const source = path.join('.');
  if (root === undefined || name === undefined) return [];
  // Another attempt has another epoch, and would come to other steps.
  if (root === 'run' && name !== 'id') {
    return [{ pointer, detail: `${source}: of a run expressions know run.id` }];
  }
  if (root === 'steps' && third !== undefined && third !== 'value') {
    return [{ pointer, detail: `${source}: the value of a step is steps.${name}.value` }];
  }
  return templateProblems(known, { path: [root, name, ...path.slice(2)], pointer, source }, false);
}

/** Workflows that call each other in a circle would never end. */
function circleProblems(workflows: NonNullable<Checked['workflows']>): FieldProblem[] {
  const callsOf = (name: string) =>
    [...eachNode(workflows[name]?.steps ?? [])].flatMap(({ node, path }) =>
      node.action === 'call' ? [{ to: node.workflow, path }] : [],
    );
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    from === to || (!seen.has(from) && (seen.add(from), callsOf(from).some((call) => reaches(call.to, to, seen))));
  return Object.keys(workflows).flatMap((name) =>
    callsOf(name)
      .filter(({ to }) => reaches(to, name, new Set()))
      .map(({ to, path }) => ({
        pointer: `/workflows/${escapePointer(name)}/steps/${path.join('/')}/workflow`,
        detail: `${name} calls ${to}, which leads back to ${name}: calls must not go round in a circle`,
      })),
  );
}

/** A profile is saved under the name of the one that the browser begins with, or under one that the step says. */
function profileProblems({ browser, steps, workflows = {} }: Checked): FieldProblem[] {
  if (browser?.profile !== undefined) return [];
  const lists = [
    { base: '/steps', list: steps },
    ...Object.entries(workflows).map(([name, called]) => ({
      base: `/workflows/${escapePointer(name)}/steps`,
      list: called.steps,
    })),
  ];
  return lists.flatMap(({ base, list }) =>
    [...eachNode(list)].flatMap(({ node, path }) =>
      node.action === 'saveProfile' && node.name === undefined
        ? [
            {
              pointer: `${base}/${path.join('/')}/name`,
              detail: 'Say under which name: the workflow has no `browser.profile`',
            },
          ]
        : [],
    ),
  );
}

function outputProblems(known: Known, base: string): FieldProblem[] {
  const { output, outputSchema } = known.definition;
  const { found, problems } = findTemplates(output, `${base}/output`);
  for (const template of found) problems.push(...templateProblems(known, template, false));
  if (outputSchema === undefined) return problems;
  if (output === undefined) {
    problems.push({ pointer: `${base}/outputSchema`, detail: 'There is a schema for the output but no `output`' });
  }
  return [...problems, ...patternProblems(outputSchema, `${base}/outputSchema`)];
}

function findTemplates(value: unknown, base: string): { found: FoundTemplate[]; problems: FieldProblem[] } {
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

/** @param secretAllowed whether it may name a secret */
function templateProblems(
  known: Known,
  { path, pointer, source }: FoundTemplate,
  secretAllowed: boolean,
): FieldProblem[] {
  const { definition, ids, turn, around, vars } = known;
  const { inputs } = definition;
  const problem = (detail: string) => [{ pointer, detail: `${source}: ${detail}` }];
  const [root, name] = path;
  if (root === 'run') return [];
  if (root === 'vars')
    return vars.has(name) ? [] : problem(`there is no variable "${name}" here; there are: ${names([...vars])}`);
  if (root === 'inputs') {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (!input) return problem(`there is no input "${name}"; there are: ${names(Object.keys(inputs))}`);
    if (input.secret && !secretAllowed)
      return problem(
        'a secret may stand only in the text of a `type` step, in headers and body of an `http` step, and in `browser.auth`',
      );
    const why = misfit(inputValueSchema(input), path.slice(2));
    return why ? problem(why) : [];
  }
  const readers = [...ids].flatMap(([id, one]) => (one.turn < turn && shapeOf(one.node, definition) ? [id] : []));
  const one = ids.get(name);
  if (!one) return problem(`there is no step "${name}"; before this there are, with a value: ${names(readers)}`);
  if (one.turn === turn || around.includes(name)) return problem('a step cannot use its own value');
  if (one.turn > turn) return problem(`step "${name}" comes later`);
  const shape = shapeOf(one.node, definition);
  if (!shape) return problem(`step "${name}" is a ${one.node.action} step; only steps that read have a value`);
  const why = misfit(shape, path.slice(3));
  return why ? problem(why) : [];
}

/** The schema of what a step or block gives, or null when it gives nothing. */
function shapeOf(node: Node, { workflows }: Checked): ValueSchema | null {
  if (!isBlock(node)) return stepShape(node);
  if (node.action === 'call') return workflows?.[node.workflow]?.outputSchema ?? {};
  return 'collect' in node && node.collect !== undefined ? { type: 'array' } : null;
}

function uploadProblems({ inputs }: Checked, file: string, pointer: string, found: FoundTemplate[]): FieldProblem[] {
  if (idSchema.safeParse(file).success) return [];
  const [template, ...others] = found.filter((one) => one.pointer === pointer);
  const whole = template !== undefined && others.length === 0 && template.source === file && template.path.length === 2;
  const input = whole && template.path[0] === 'inputs' ? inputs[template.path[1]] : undefined;
  if (input?.type === 'file') return [];
  const files = Object.entries(inputs).flatMap(([name, { type }]) => (type === 'file' ? [name] : []));
  return [{ pointer, detail: `Name an input of type file, as {{inputs.<name>}}; there are: ${names(files)}` }];
}

/** Values of the user's own, and a column that happens to be called `pattern`. */
const noPattern = /\/(?:enum|const|default)(?:\/|$)|\/table\/columns\/pattern$/;

/** Every `pattern` in a schema, or in what an extract step reads, must be a regular expression. */
function patternProblems(value: ValueSchema | Step | Json, base: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  eachString(
    value,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || noPattern.test(pointer)) return;
      try {
        new RegExp(text, 'u');
      } catch (thrown) {
        problems.push({ pointer, detail: `Not a regular expression: ${(thrown as Error).message}` });
      }
    },
    base,
  );
  return problems;
}

/** Every `path` into JSON must be a JSONPath; one with templates is known only when they are replaced. */
function pathProblems({ json, value, list }: Step & { action: 'extract' }, base: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  eachString(
    { json: { path: json?.path }, value, list },
    (text, pointer) => {
      const problem = pointer.endsWith('/path') && !text.includes('{{') ? jsonPathProblem(text) : null;
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
