import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../harness/bundles.ts';
import { helm, ofKind } from './chart-tools.fixture.ts';

/* The commands and values of the documentation, as an operator copies them. */

interface Block {
  /** `page:line` of its first line. */
  readonly place: string;
  readonly language: string;
  readonly lines: readonly string[];
}

/** Fenced blocks of a page, without their indentation. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map((match) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length + 1}`,
    language: match[2] ?? '',
    lines: (match[3] ?? '').split('\n').map((line) => line.slice(match[1]?.length ?? 0)),
  }));
}

const pages = globSync(['*.md', 'docs/**/*.md', 'charts/**/*.md'], { cwd: root }).toSorted();
const blocks = pages.flatMap(blocksOf);

/** Words of the commands of a program, with their places. A comment, a pipe, `&` or `)` ends a command. */
const commandsOf = (program: string): [place: string, words: string[]][] =>
  blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ place, lines }) =>
      lines
        .flatMap((line) => line.match(new RegExp(`(?<!\\S)(?:\\S*\\$\\()?${program} [^#|&)]*`, 'g')) ?? [])
        .map((command): [string, string[]] => {
          const words = command.trim().split(/\s+/);
          return [`${place} ${words.join(' ')}`, words];
        }),
    );

const helmCommands = commandsOf('helm');
const kubectlCommands = commandsOf('kubectl');

/** Options of `helm install` that `helm template` reads as well, each with a value. */
const VALUE_OPTIONS = new Set(['-f', '--values', '--set', '--set-string', '--set-json', '-n', '--namespace']);

/** Arguments of `helm template` for the arguments of `helm install` or `helm upgrade`: release, chart and values. */
const templateArguments = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    if (VALUE_OPTIONS.has(words[index - 1] ?? '')) return [words[index - 1] ?? '', word];
    if (word === 'charts/pilothouse') return [join(root, word)];
    return word.startsWith('-') ? [] : [word];
  });

describe('the commands of the documentation', () => {
  test('are found', () => {
    expect(helmCommands.length).toBeGreaterThan(6);
    expect(kubectlCommands.length).toBeGreaterThan(10);
  });

  test.each(helmCommands)('%s: helm knows the command and its options', async (_, [, verb = '', ...words]) => {
    const { text: help } = await helm([verb, '--help']);
    // An unknown command prints the general help.
    expect(help).toMatch(new RegExp(`^ +helm ${verb} .*\\[flags\\]`, 'm'));
    for (const option of words.filter((word) => word.startsWith('-')))
      expect(help).toMatch(new RegExp(`^ +(-\\w, )?${option}[ ,=]`, 'm'));
  });

  const releases = helmCommands.filter(([, [, verb = '']]) => ['install', 'upgrade'].includes(verb));
  test.each(releases)('%s: the chart renders with these values', async (_, [, , ...words]) => {
    const { ok, text } = await helm(['template', ...templateArguments(words)]);
    expect({ ok, ...(!ok && { text }) }).toEqual({ ok: true });
    expect(text).toContain('kind: Deployment');
  });

  test('kubectl commands name objects that the chart creates', async () => {
    const { stdout } = await helm([
      ...['template', 'pilothouse', join(root, 'charts/pilothouse'), '--set', 'demo.enabled=true'],
    ]);
    const namesOf = (kind: string) => ofKind(stdout, kind).map((text) => /^ {2}name: (.*)$/m.exec(text)?.[1]);
    const objects = {
      deployment: namesOf('Deployment'),
      service: namesOf('Service'),
      statefulset: namesOf('StatefulSet'),
      secret: namesOf('Secret'),
    };
    const named = kubectlCommands.flatMap(([place, words]) =>
      words.includes('create')
        ? []
        : [...words.join(' ').matchAll(/\b(deployment|service|statefulset|secret)[/ ](pilothouse-[\w-]+)/g)].map(
            ([, kind = '', name = '']) => ({ place, kind: kind as keyof typeof objects, name }),
          ),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ kind, name }) => !objects[kind].includes(name))).toEqual([]);
  });
});

describe('the values of the documentation', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'pilothouse-values-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const values = blocks
    .filter(({ language }) => language === 'yaml values')
    .map(({ place, lines }): [string, string] => [place, lines.join('\n')]);
  test('are found', () => expect(values.length).toBeGreaterThan(6));

  test.each(values)('%s: the chart renders with them', async (_, text) => {
    const file = join(folder, 'values.yaml');
    await writeFile(file, text);
    const result = await helm(['template', 'pilothouse', join(root, 'charts/pilothouse'), '-f', file]);
    expect({ ok: result.ok, ...(!result.ok && { text: result.text }) }).toEqual({ ok: true });
  });
});
