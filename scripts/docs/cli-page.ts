/** Generates docs/reference/cli.md from the commands of the CLI. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { program } from '../../apps/cli/src/program.ts';
import { type DocsPage, page, table } from './docs-page.ts';
import { escapeTags, sentence } from './schema-table.ts';

/** Options of every command with a connection. The head of the page explains them. */
const CONNECTION = ['--api-url', '--api-key-file', '--json'];

const pathOf = (command: Command): string => {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}` : command.name();
};

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Returns the examples in the help of a command, and the notes that follow them. The head of the page has the exit codes. */
function examplesOf(command: Command): { examples: string[]; notes: string[] } {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, exampleText = ''] = help.split(/^Examples:$/m);
  const [text = ''] = exampleText.split(/^ *Exit codes:$/m);
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  const isExample = (line: string) => /^(pilothouse|npx|cat|read|[A-Z_]+=) ?/.test(line);
  return { examples: lines.filter(isExample), notes: lines.filter((line) => !isExample(line)) };
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const described = (text: string) => sentence(escapeTags(upperFirst(text)));

function defaultOf({ defaultValue, defaultValueDescription }: Option | Argument): string {
  const text = defaultValueDescription ?? (defaultValue === undefined ? undefined : JSON.stringify(defaultValue));
  return text === undefined || text === '[]' || text === '{}' || text === 'false' ? '' : ` Default: \`${text}\`.`;
}

function choicesOf({ argChoices }: Option | Argument): string {
  return argChoices ? ` One of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
}

function commandBlocks(command: Command): string[] {
  const options = command.options.filter(({ long, hidden }) => !hidden && !CONNECTION.includes(long ?? ''));
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\``,
      `${described(argument.description)}${choicesOf(argument)}${defaultOf(argument)}`,
    ]),
    ...options.map((option) => [
      `\`${option.flags}\``,
      `${described(option.description)}${choicesOf(option)}${defaultOf(option)}${option.mandatory ? ' Required.' : ''}`,
    ]),
  ];
  const { examples, notes } = examplesOf(command);
  return [
    `### ${pathOf(command).replace('pilothouse ', '')}`,
    described(command.description()),
    ['```sh', `${pathOf(command)} ${command.usage()}`, '```'].join('\n'),
    ...(rows.length === 0 ? [] : [table(['argument or option', 'meaning'], rows)]),
    ...(examples.length === 0 ? [] : ['Examples:', ['```sh', ...examples, '```'].join('\n')]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${escapeTags(note)}`).join('\n')]),
  ];
}

/** The commands, arguments and options of the CLI. */
export const cliPage: DocsPage = {
  path: 'docs/reference/cli.md',
  render: () => {
    const cli = program(() => {
      throw new Error('No command runs while the page is generated');
    });
    const head = readFileSync(join(import.meta.dirname, 'cli-head.md'), 'utf8').trim();
    const nouns = cli.commands.map((command) => ({
      title: command.name(),
      text: described(command.description()),
      isNoun: command.commands.length > 0,
      leaves: leavesOf(command),
    }));
    const shortcuts = nouns.filter(({ isNoun }) => !isNoun);
    return page(
      head,
      table(
        ['command', 'purpose'],
        nouns.flatMap(({ leaves }) =>
          leaves.map((leaf) => {
            const name = pathOf(leaf).replace('pilothouse ', '');
            return [`[\`${name}\`](#${name.replaceAll(' ', '-')})`, described(leaf.description())];
          }),
        ),
      ),
      '## Shortcuts',
      ...shortcuts.flatMap(({ leaves }) => leaves.flatMap(commandBlocks)),
      ...nouns
        .filter(({ isNoun }) => isNoun)
        .flatMap(({ title, text, leaves }) => [`## ${title}`, text, ...leaves.flatMap(commandBlocks)]),
    );
  },
};
