/** Generates docs/reference/env.md from the schemas of the environment variables. */
import {
  apiVariables,
  cliVariables,
  consoleVariables,
  fleetVariables,
  isModelVariable,
  jobsVariables,
  migrateVariables,
  oidcVariables,
  upVariables,
  variableDescriptions,
  type VariableName,
  workerVariables,
} from '@pilothouse/infra-config';
import type { z } from 'zod';
import { type DocsPage, page, table } from './docs-page.ts';
import { sentence } from './schema-table.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** Variables that only tests use. */
const TEST_VARIABLES = ['PILOTHOUSE_FAILPOINTS'];

/** A value that violates every text schema. */
const INVALID = '\u0000';

const INTRO = `Each process reads its settings from environment variables at start. An empty variable counts as unset. Invalid settings are reported all at once, and the process exits.

The [Helm chart](values.md) sets these variables from its values. \`./scripts/up\` passes model variables to API and job runner only, and single sign-on variables to the API only.`;

function pick(shape: Shape, isIncluded: (name: string) => boolean): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => isIncluded(name)));
}

const sections: readonly (readonly [title: string, shape: Shape])[] = [
  ['API', pick(apiVariables.shape, (name) => !isModelVariable(name) && !oidcVariables.includes(name))],
  ['API and job runner: models', pick(apiVariables.shape, isModelVariable)],
  ['API: single sign-on', pick(apiVariables.shape, (name) => oidcVariables.includes(name))],
  ['Console', consoleVariables.shape],
  ['Worker', workerVariables.shape],
  ['Fleet controller', fleetVariables.shape],
  ['Job runner', pick(jobsVariables.shape, (name) => !isModelVariable(name))],
  ['Migration', migrateVariables.shape],
  ['Command line', cliVariables.shape],
  ['Local installation (pilothouse up)', upVariables.shape],
];

/** Parts of a zod definition that lead to a default. */
interface Definition {
  type: string;
  defaultValue?: unknown;
  innerType?: { def: Definition };
  in?: { def: Definition };
}

function defaultOf({ def }: z.ZodType): unknown {
  let current: Definition | undefined = def as Definition;
  while (current && current.type !== 'default') current = (current.innerType ?? current.in)?.def;
  return current?.defaultValue;
}

function defaultText(schema: z.ZodType): string {
  if (!schema.safeParse(undefined).success) return 'required';
  const initial = defaultOf(schema);
  const isEmpty =
    initial === undefined || initial === '' || JSON.stringify(initial) === '[]' || JSON.stringify(initial) === '{}';
  return isEmpty ? '' : `\`${String(initial)}\``;
}

/** Describes valid values by the message for an invalid one. */
function valueText(schema: z.ZodType): string {
  const message = schema.safeParse(INVALID).error?.issues[0]?.message ?? 'text';
  return message.replace(/^(set it to|use|name) /, '');
}

/** All environment variables by process. */
export const envPage: DocsPage = {
  path: 'docs/reference/env.md',
  render: () =>
    page(
      '# Environment variables',
      INTRO,
      ...sections.flatMap(([title, shape]) => [
        `## ${title}`,
        table(
          ['variable', 'value', 'default', 'meaning'],
          Object.entries(shape)
            .filter(([name]) => !TEST_VARIABLES.includes(name))
            .map(([name, schema]) => [
              `\`${name}\``,
              valueText(schema),
              defaultText(schema),
              sentence(variableDescriptions[name as VariableName]),
            ]),
        ),
      ]),
    ),
};
