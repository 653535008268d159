import type { Argument, Command, Option } from 'commander';

/** A word that completes the command line. */
export interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** Suggestions for the last word of a command line. */
export interface Suggestions {
  readonly words: readonly Suggestion[];
  /** True if a file or directory is possible. */
  readonly hasFiles: boolean;
}

/** Reads the names of workflows. */
export type WorkflowNames = () => Promise<readonly string[]>;

/** Position of the last word: its command, the option whose value it is, and the number of arguments in front of it. */
interface Position {
  readonly command: Command;
  readonly option: Option | null;
  readonly argumentCount: number;
  /** False after `--`. */
  readonly hasOptions: boolean;
}

const NOTHING: Suggestions = { words: [], hasFiles: false };

/**
 * Completes the last word of a command line.
 * @param root the command of the program
 * @param line words after the name of the program. The last one may be empty. Bash splits `--name=value` into three words
 */
export async function suggestWords(
  root: Command,
  line: readonly string[],
  workflowNames: WorkflowNames,
): Promise<Suggestions> {
  const words = line.at(-1) === '=' ? [...line, ''] : [...line];
  const current = words.pop() ?? '';
  const position = positionAfter(root, words);
  const { command, option, argumentCount, hasOptions } = position;
  if (option) return matching(await valuesOf(option, placeholderOf(option), current, workflowNames), current);
  const [, flag = '', value = ''] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (hasOptions && flag !== '') {
    const assigned = optionOf(command, flag);
    if (!assigned) return NOTHING;
    const { words: values, hasFiles } = await valuesOf(assigned, placeholderOf(assigned), value, workflowNames);
    return matching(
      { words: values.map(({ word, ...rest }) => ({ word: `${flag}=${word}`, ...rest })), hasFiles },
      current,
    );
  }
  if (hasOptions && current.startsWith('-')) return matching({ words: flagsOf(command), hasFiles: false }, current);
  if (command.commands.length > 0) return matching({ words: subcommandsOf(command), hasFiles: false }, current);
  const argument = argumentAt(command, argumentCount);
  return argument ? matching(await valuesOf(argument, argument.name(), current, workflowNames), current) : NOTHING;
}

function positionAfter(root: Command, words: readonly string[]): Position {
  let command = root;
  let option: Option | null = null;
  let argumentCount = 0;
  let hasOptions = true;
  for (const [index, word] of words.entries()) {
    if (word === '=' && option) continue;
    if (option && words[index - 1] !== '=' && option.optional && word.startsWith('-')) option = null;
    if (option) option = null;
    else if (hasOptions && word === '--') hasOptions = false;
    else if (hasOptions && word.startsWith('-')) option = valueOptionOf(command, word);
    else {
      const subcommand = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (subcommand) command = subcommand;
      else argumentCount += 1;
    }
  }
  return { command, option, argumentCount, hasOptions };
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

/** The option that a word names, if its value is the next word. */
function valueOptionOf(command: Command, word: string): Option | null {
  const option = optionOf(command, word);
  return option && (option.required || option.optional) ? option : null;
}

/** The argument at an index; the last one if it takes several words. */
function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

const isVisible = ({ hidden }: Option) => !hidden;

const flagsOf = (command: Command): Suggestion[] => [
  ...command.options.filter(isVisible).flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
  { word: '--help', description: 'display help' },
];

const subcommandsOf = (command: Command): Suggestion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), description: each.description() }));

/** The placeholder of an option's value: `file` for `--output <file>`. */
const placeholderOf = ({ flags }: Option) => /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';

/** Lists of an option that takes several names, separated by commas. */
interface ListParser {
  readonly names?: readonly string[];
}

/** The values that an option or argument can have. */
async function valuesOf(
  { argChoices, description, parseArg, ...rest }: Option | Argument,
  placeholder: string,
  current: string,
  workflowNames: WorkflowNames,
): Promise<Suggestions> {
  const plain = (words: readonly string[]) => words.map((word) => ({ word, description: '' }));
  if (argChoices) return { words: plain(argChoices), hasFiles: false };
  const { names } = (parseArg as ListParser | undefined) ?? {};
  if (names) {
    const listed = current.slice(0, current.lastIndexOf(',') + 1);
    return { words: plain(names.map((name) => `${listed}${name}`)), hasFiles: false };
  }
  const isWorkflow = /\bworkflow\b/.test(placeholder) || ('long' in rest && rest.long === '--workflow');
  const words = isWorkflow ? (await workflowNames()).map((word) => ({ word, description: 'workflow' })) : [];
  return { words, hasFiles: /\b(?:file|directory|path)\b/.test(placeholder) };
}

const matching = ({ words, hasFiles }: Suggestions, current: string): Suggestions => ({
  words: words.filter(({ word }) => word.startsWith(current)),
  hasFiles,
});
