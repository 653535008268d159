import type { Command } from 'commander';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processCli } from './api/cli-context.ts';
import { program } from './program.ts';

const root = join(import.meta.dirname, '../../..');

/** Arguments of a shell line up to a comment, a pipe or a redirection. Quotes group words. */
function splitArguments(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const end = words.findIndex((word) => /^(#|\||\|\||&&|;|>|>>|<|2>|&)/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Commands of the CLI in the shell blocks of the documentation, with their file and line. */
function documentedCommands(): [place: string, args: string[]][] {
  const pages = globSync(['*.md', 'docs/**/*.md', '{apps,libs,charts}/**/README.md'], {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  });
  // The reference shows usage lines: run [options] <run>.
  const pagesWithCommands = pages.filter((page) => page !== 'docs/reference/cli.md');
  return pagesWithCommands.toSorted().flatMap((page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n');
    let isShell = false;
    return lines.flatMap((line, index): [string, string[]][] => {
      if (line.trimStart().startsWith('```')) isShell = !isShell && /```(sh|bash|console)/.test(line);
      if (!isShell) return [];
      let text = line;
      for (let next = index; text.endsWith('\\'); next += 1) text = `${text.slice(0, -1)} ${lines[next + 1] ?? ''}`;
      const command = /(?:^\s*|\bnpx )pilothouse (?=[a-z-])(.*)/.exec(text)?.[1];
      return command === undefined ? [] : [[`${page}:${index + 1}`, splitArguments(command)]];
    });
  });
}

/** @returns usage error of the arguments; null: the CLI accepts them */
function usageErrorOf(args: readonly string[]): string | null {
  let command: Command = program(() => ({
    ...processCli(),
    quit: () => {
      throw new Error('usage');
    },
  }));
  const rest = [...args];
  while (rest.length > 0) {
    const next = command.commands.find((each) => each.name() === rest[0] || each.aliases().includes(rest[0] ?? ''));
    if (!next) break;
    command = next;
    rest.shift();
  }
  let message = '';
  command.configureOutput({ writeErr: (text) => (message += text) });
  let parsed: { operands: string[]; unknown: string[] };
  try {
    parsed = command.parseOptions(rest);
  } catch {
    return message.split('\n', 1)[0] ?? '';
  }
  const { operands, unknown } = parsed;
  if (unknown.some((word) => word !== '--help')) return `unknown option ${unknown.join(' ')}`;
  if (command.commands.length > 0 && operands.length > 0) return `unknown command ${operands[0]}`;
  const required = command.registeredArguments.filter((argument) => argument.required).length;
  const isVariadic = command.registeredArguments.some((argument) => argument.variadic);
  if (operands.length < required && unknown.length === 0) return 'missing argument';
  if (!isVariadic && operands.length > command.registeredArguments.length) return `extra argument ${operands.at(-1)}`;
  return null;
}

const commands = documentedCommands();

test('the documentation has commands', () => expect(commands.length).toBeGreaterThan(50));

test.each(commands)('%s: the CLI accepts the command', (_, args) => {
  expect({ args, usageError: usageErrorOf(args) }).toEqual({ args, usageError: null });
});

test.each([
  [['runs', 'list', '--stauts', 'failed'], 'unknown option --stauts failed'],
  [['runs', 'lst'], 'unknown command lst'],
  [['runs', 'show'], 'missing argument'],
])('%j is rejected', (args, usageError) => expect(usageErrorOf(args)).toBe(usageError));
