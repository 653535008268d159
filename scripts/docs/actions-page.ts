import { workflowJsonSchema, type JsonSchema } from '@pilothouse/core/workflow/json-schema';
import { surfacesOfStep } from '@pilothouse/core/workflow/lint/lint-surface';
import { actionExamples } from './action-examples.ts';
import { type DocsPage, page, table } from './docs-page.ts';

type Definitions = Readonly<Record<string, JsonSchema>>;

type ActionName = keyof typeof actionExamples;

/** Sections of the page. A spec checks that they have every action once. */
export const sections: Readonly<Record<string, readonly ActionName[]>> = {
  'Pages and tabs': ['navigate', 'goBack', 'goForward', 'reload', 'switchTab', 'closeTab', 'handleDialog'],
  Mouse: ['click', 'hover', 'drag', 'scroll'],
  'Forms and keyboard': ['fill', 'type', 'clear', 'press', 'check', 'uncheck', 'selectOption'],
  Clipboard: ['readClipboard', 'writeClipboard'],
  Files: ['upload', 'download', 'pdf', 'putFile', 'collectFile', 'fillFileDialog'],
  'Applications and windows': ['openApp', 'switchWindow', 'closeWindow', 'listWindows', 'setWindow', 'selectMenuItem'],
  'Wait and check': ['waitFor', 'wait', 'assert', 'checkCondition'],
  Read: ['extract', 'observe', 'screenshot'],
  'Requests, agents and profiles': ['http', 'parallel', 'goal', 'saveProfile'],
  'Control flow': ['group', 'forEach', 'paginate', 'loop', 'try', 'set', 'call'],
};

/** Fields of every step. `README.md` describes them. */
const commonFields = new Set([
  'action',
  'id',
  'if',
  'timeout',
  'expect',
  'idempotent',
  'heal',
  'retry',
  'onInterrupted',
  'approval',
]);

/** Names of schemas in the column `type`. */
const typesByName: Readonly<Record<string, string>> = {
  Target: '[target](targets.md)',
  Condition: '[condition](conditions.md)',
  Expression: '[expression](expressions.md)',
  Field: '[field](extract.md#fields)',
  Table: '[table](extract.md)',
  JsonSource: '[JSON source](extract.md#read-json-instead-of-elements)',
  ValueSchema: '[JSON Schema](inputs-and-output.md#return-an-output)',
  Branch: 'request',
  PageBranch: 'list of steps',
  AppRule: 'string',
  ApprovalEffect: 'effect',
};

/** Describes the type of a field. */
function typeOf({ $ref, type, enum: values, items, anyOf, properties, additionalProperties }: JsonSchema): string {
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) return typesByName[name] ?? 'JSON';
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items) return items.$ref?.endsWith('/Node') ? 'list of steps' : `list of ${typeOf(items)}`;
  if (properties) return `\`{ ${Object.keys(properties).join(', ')} }\``;
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`;
  return type ?? 'JSON';
}

const sentence = (text: string) => `${text.replace(/\.$/, '')}.`;

/** Description of a field, of its schema, and of the schema of its items. */
function meaningOf(schema: JsonSchema, definitions: Definitions): string {
  const ofReference = ({ $ref }: JsonSchema = {}) => definitions[$ref?.split('/').at(-1) ?? '']?.description;
  const texts = [schema.description ?? ofReference(schema), ofReference(schema.items)];
  return texts.flatMap((text) => (text === undefined ? [] : [sentence(text)])).join(' ');
}

function actionBlocks(
  name: ActionName,
  { properties = {}, required = [] }: JsonSchema,
  definitions: Definitions,
): string[] {
  const { yaml, notes } = actionExamples[name];
  const fields = Object.entries(properties).filter(([field, { description = '' }]) => {
    const isTitleOfStep = field === 'title' && description.startsWith('Title that');
    return !commonFields.has(field) && !isTitleOfStep;
  });
  const rows = fields.map(([field, schema]) => [
    `\`${field}\`${required.includes(field) ? '' : '?'}`,
    typeOf(schema),
    meaningOf(schema, definitions),
  ]);
  return [
    `### ${name}`,
    `${sentence(properties['action']?.description ?? '')}${notes === undefined ? '' : ` ${notes}`} Surfaces: ${surfacesOfStep(name).join(', ')}.`,
    `\`\`\`yaml\n${yaml}\n\`\`\``,
    ...(rows.length === 0 ? [] : [table(['field', 'type', 'meaning'], rows)]),
  ];
}

function render(): string {
  const { $defs } = workflowJsonSchema() as { $defs: Definitions & { Node: { oneOf: readonly JsonSchema[] } } };
  const schemas = new Map($defs.Node.oneOf.map((schema) => [schema.properties?.['action']?.const, schema]));
  return page(
    '# Actions',
    'Each step of a workflow has one action. Besides the fields below, it can have the [fields of every step](README.md#fields-of-every-step), such as `id`, `if`, `expect` and `timeout`. `?` marks optional fields.',
    '```yaml\n- id: rows\n  action: extract\n  target: { role: table, name: Products }\n  table: { columns: { sku: SKU, price: { header: Unit price, type: number } } }\n```',
    table(
      ['section', 'actions'],
      Object.entries(sections).map(([title, names]) => [
        title,
        names.map((name) => `[${name}](#${name.toLowerCase()})`).join(', '),
      ]),
    ),
    ...Object.entries(sections).flatMap(([title, names]) => [
      `## ${title}`,
      ...names.flatMap((name) => actionBlocks(name, schemas.get(name) ?? {}, $defs)),
    ]),
  );
}

/** The actions of workflows, from the descriptions in the workflow schema. */
export const actionsPage: DocsPage = { path: 'docs/reference/workflow/actions.md', render };
