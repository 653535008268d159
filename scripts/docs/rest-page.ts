/** Generates docs/reference/rest.md, which is not in git, from the OpenAPI document of the API. */
import { routes } from '@pilothouse/contract/api/route-table';
import { openApiDocument } from '../../apps/api/src/openapi/openapi-document.ts';
import { type DocsPage, page, table } from './docs-page.ts';
import { escapeTags, fieldRows, nameOf, type SchemaNode, sentence, typeText } from './schema-table.ts';

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  schema: SchemaNode;
}
type Content = Record<string, { schema: SchemaNode }>;
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: [string];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<
    string,
    { description: string; content?: Content; headers?: Record<string, { description: string }> }
  >;
}
interface OpenApi {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, SchemaNode> };
}

/** Parts of the workflow language, which has its own pages. */
const LANGUAGE =
  /^(WorkflowDefinition|WorkflowInput|Subworkflow|Node|Branch|Target|Locator|Condition|ValueSchema|Expression)(Output)?$/;
const LANGUAGE_PAGE = 'workflow/README.md';

const INTRO = `Every operation of the REST API, grouped by resource. \`/docs\` of a running API shows the same with a form to try each one, and \`/openapi.json\` is the OpenAPI 3.1 document. For examples see [REST examples](rest-examples.md).

Send an API key as \`Authorization: Bearer ph_…\`. A key belongs to one project and has a role: \`viewer\` reads, \`operator\` submits and controls runs, \`admin\` manages the project. \`user\` is a session in the console without a project, and \`public\` needs no authentication. Each operation names the lowest role that may call it.

Bodies and responses are JSON. A \`?\` after a name marks an optional field. \`string (≤ 200)\` has at most 200 characters. Unknown fields of a body are rejected.

Besides the errors that an operation lists, each one can return \`VALIDATION_FAILED\`, \`UNAUTHENTICATED\`, \`FORBIDDEN\`, \`PAYLOAD_TOO_LARGE\`, \`UNSUPPORTED_MEDIA_TYPE\`, \`UNAVAILABLE\` and \`INTERNAL\`. [Errors](errors.md) explains the codes.`;

/** Renders the operations and collects the named objects that they mention. */
class RestPage {
  readonly #document: OpenApi;
  readonly #objects = new Set<string>();

  constructor(document: OpenApi) {
    this.#document = document;
  }

  blocks(): string[] {
    const operations = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    );
    const groups = this.#document.tags.flatMap(({ name, description }) => {
      const members = operations.filter(({ tags }) => tags[0] === name);
      return [
        `## ${name}`,
        escapeTags(description),
        table(
          ['operation', 'request', 'role'],
          members.map(({ summary, method, path, operationId }) => [
            `[${summary}](#${anchor(summary)})`,
            `\`${method} ${path}\``,
            `\`${roleOf(operationId)}\``,
          ]),
        ),
        ...members.flatMap((operation) => this.#operation(operation)),
      ];
    });
    return ['# REST API', INTRO, ...groups, '## Objects', ...this.#objectBlocks()];
  }

  #operation({ path, method, ...operation }: Operation & { path: string; method: string }): string[] {
    const { summary, operationId, description, parameters = [], requestBody, responses } = operation;
    const text = description.replace(/\n*Needs (the role `\w+`|a session)\.$/, '');
    const { errors = [] } = routes[operationId as keyof typeof routes] as { errors?: readonly string[] };
    return [
      `### ${summary}`,
      `\`${method} ${path}\` · role \`${roleOf(operationId)}\` · operation \`${operationId}\``,
      ...(text === '' ? [] : [escapeTags(text)]),
      ...(parameters.length === 0
        ? []
        : [
            table(
              ['parameter', 'in', 'type', 'description'],
              parameters.map((parameter) => this.#parameter(parameter)),
            ),
          ]),
      ...(requestBody ? this.#body(requestBody) : []),
      [
        ...Object.entries(responses)
          .filter(([status]) => status in (routes[operationId as keyof typeof routes].responses as object))
          .map((entry) => this.#response(...entry)),
        ...(errors.length === 0 ? [] : [`- Errors: ${errors.map((code) => `\`${code}\``).join(', ')}`]),
      ].join('\n'),
    ];
  }

  #parameter({ in: place, name, required = false, description = '', schema }: Parameter): string[] {
    const [row = []] = fieldRows(
      { properties: { [name]: { ...schema, description } }, required: required ? [name] : [] },
      this.#link,
    );
    return [row[0] ?? '', place, row[1] ?? '', row[2] ?? ''];
  }

  #body({ required = false, content }: NonNullable<Operation['requestBody']>): string[] {
    const types = Object.keys(content);
    const schema = content['application/json']?.schema;
    const note = `**Body**${required ? '' : ' (optional)'}: ${types.map((type) => `\`${type}\``).join(' or ')}`;
    if (!schema) return [note];
    const name = schema.$ref && nameOf(schema.$ref);
    const resolved = name === undefined ? schema : (this.#document.components.schemas[name] ?? {});
    if (name !== undefined && LANGUAGE.test(name)) return [`${note}, a ${this.#link(name)}.`];
    return [note, ...this.#fields(resolved)];
  }

  #response(status: string, { description, content = {}, headers = {} }: Operation['responses'][string]): string {
    const bodies = Object.entries(content).map(([type, { schema }]) =>
      type === 'application/json' ? typeText(schema, this.#link) : `\`${type}\``,
    );
    const headerTexts = Object.entries(headers).map(([name, header]) => `\`${name}\` (${header.description})`);
    return [
      `- \`${status}\`: ${escapeTags(description)}`,
      bodies.length > 0 ? `. Body: ${bodies.join(' or ')}` : '',
      headerTexts.length > 0 ? `. Headers: ${escapeTags(headerTexts.join(', '))}` : '',
    ].join('');
  }

  /** The objects that operations mention, and those that these mention. */
  #objectBlocks(): string[] {
    const blocks = new Map<string, string[]>();
    // Rendering one may add others; iterating a set visits those, too.
    for (const name of this.#objects) {
      const schema = this.#document.components.schemas[name] ?? {};
      blocks.set(name, [
        `### ${name} object`,
        ...(schema.description ? [sentence(escapeTags(schema.description))] : []),
        ...this.#fields(schema),
      ]);
    }
    return [...blocks].sort(([a], [b]) => a.localeCompare(b)).flatMap(([, lines]) => lines);
  }

  #fields(schema: SchemaNode): string[] {
    const variants = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'null');
    if (variants.length > 1) return [`One of:`, variants.map((variant) => `- ${this.#variant(variant)}`).join('\n')];
    const rows = fieldRows(variants[0] ?? schema, this.#link);
    return rows.length === 0 ? [typeText(schema, this.#link)] : [table(['field', 'type', 'description'], rows)];
  }

  #variant(schema: SchemaNode): string {
    if (!schema.properties) return typeText(schema, this.#link);
    return fieldRows(schema, this.#link)
      .map(
        ([name = '', type = '', text = '']) => `${name}: ${type}${text === '' ? '' : ` (${text.replace(/\.$/, '')})`}`,
      )
      .join('; ');
  }

  #link = (name: string): string => {
    const { schemas } = this.#document.components;
    if (LANGUAGE.test(name)) return `[${name.replace(/Output$/, '')}](${LANGUAGE_PAGE})`;
    const base = name.replace(/Output$/, '');
    const known = base in schemas ? base : name;
    const schema = schemas[known] ?? {};
    if (
      schema.properties?.['items']?.items &&
      'nextCursor' in schema.properties &&
      Object.keys(schema.properties).length === 2
    ) {
      return `\`{ items, nextCursor }\`, items: ${typeText(schema.properties['items'].items, this.#link)}`;
    }
    const isObject = schema.properties !== undefined || schema.anyOf !== undefined || schema.oneOf !== undefined;
    if (!isObject) return typeText(schema, this.#link);
    this.#objects.add(known);
    return `[${known}](#${known.toLowerCase()}-object)`;
  };
}

const roleOf = (operationId: string) => routes[operationId as keyof typeof routes].role;

/** Anchor of a heading on GitHub. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The operations and objects of the REST API. */
export const restPage: DocsPage = {
  path: 'docs/reference/rest.md',
  render: () => {
    // Through JSON, as a client receives the document.
    const document = JSON.parse(JSON.stringify(openApiDocument('/'))) as OpenApi;
    return page(...new RestPage(document).blocks());
  },
};
