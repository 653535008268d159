/** Generates docs/reference/events.md from the event schemas. */
import {
  EVENT_VERSION,
  eventData,
  eventTypes,
  runEventSchema,
  terminalEvents,
  type EventType,
} from '@pilothouse/contract/events/event-log.schema';
import { z } from 'zod';
import { type DocsPage, page, table } from './docs-page.ts';
import { escapeTags, fieldRows, nameOf, type SchemaNode, sentence, typeText } from './schema-table.ts';

const INTRO = `A run records what happens as numbered events. Each event is stored before clients receive it. The order of events never changes.

\`\`\`sh
curl -N $URL/v1/runs/<run>/events -H "$KEY" -H 'Accept: text/event-stream'
\`\`\`

[Automate with REST](../guides/automate-with-rest.md) shows how to follow them.`;

/** Events by subject. */
const sections: Readonly<Record<string, readonly string[]>> = {
  Runs: ['run', 'artifact', 'model'],
  Steps: ['step', 'branch', 'egress', 'site_limit'],
  Agents: ['agent'],
  'Manual control': ['control', 'dialog'],
};

/** Converts a schema; named schemas become `$defs`. */
const toJson = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode & {
    $defs?: Record<string, SchemaNode>;
  };

/** Objects of the REST API that have a page of their own. */
const objectPages: Readonly<Record<string, string>> = {
  Error: 'errors.md',
  Locator: 'workflow/README.md',
  Target: 'workflow/README.md',
};

function rowsOf(schema: z.ZodType): string[][] {
  const root = toJson(schema);
  // A named schema is a reference to one of `$defs`.
  const node = root.$ref === undefined ? root : { ...root, ...root.$defs?.[nameOf(root.$ref)] };
  const link = (name: string): string => {
    if (name in objectPages) return `[${name}](${objectPages[name]})`;
    // Arbitrary JSON refers to itself.
    const named = name.startsWith('__') ? undefined : root.$defs?.[name];
    return named ? typeText(named, link) : 'any JSON';
  };
  return fieldRows(node, link);
}

/** Fields of each step event. */
const stepRows = rowsOf(eventData['step.failed'].pick({ step: true, path: true, id: true }));

function eventBlocks(type: EventType): string[] {
  const schema = eventData[type];
  const rows = rowsOf(schema);
  const notes = terminalEvents.has(type) ? ['This is the last event of a run.'] : [];
  const isOfStep =
    'path' in schema.shape && 'id' in schema.shape && type !== 'run.awaiting_user' && type !== 'run.answered';
  if (isOfStep) notes.push('Has the [fields of a step](#fields-of-a-step).');
  const own = isOfStep ? rows.slice(stepRows.length) : rows;
  return [
    `### ${type}`,
    [sentence(escapeTags(schema.description ?? '')), ...notes].filter(Boolean).join(' '),
    ...(own.length === 0 ? [] : [table(['field of `data`', 'type', 'description'], own)]),
  ];
}

/** All events of runs, with the fields of their data. */
export const eventsPage: DocsPage = {
  path: 'docs/reference/events.md',
  render: () =>
    page(
      '# Events',
      INTRO,
      '## Every event',
      `\`data\` depends on \`type\`. Its version \`v\` is ${EVENT_VERSION} for all types. A \`?\` after a name marks an optional field.`,
      table(['field', 'type', 'description'], rowsOf(runEventSchema)),
      '## Fields of a step',
      table(['field of `data`', 'type', 'description'], stepRows),
      ...Object.entries(sections).flatMap(([title, prefixes]) => [
        `## ${title}`,
        ...eventTypes.filter((type) => prefixes.includes(type.split('.')[0] ?? '')).flatMap(eventBlocks),
      ]),
    ),
};
