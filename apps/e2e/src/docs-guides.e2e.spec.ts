import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleOf, root } from './harness/bundles.ts';
import { searchPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';

/* The workflows and commands of the first guides, as a reader copies them. */

interface Command {
  readonly line: string;
  /** Lines that the guide shows below the command. */
  readonly output: readonly string[];
}

type Part = { readonly file: string; readonly text: string } | Command;

/** Files to save and commands to type, in the order of a guide. A guide names a file in the paragraph above its block. */
function partsOf(markdown: string): Part[] {
  const blocks = [...markdown.matchAll(/([^\n]*)\n+```(\w+)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, paragraph = '', language, text = '']): Part[] => {
    if (language === 'yaml') {
      const file = /(?:Save this as|Replace) `([\w-]+\.yaml)`/.exec(paragraph)?.[1];
      return file === undefined ? [] : [{ file, text }];
    }
    if (language === 'sh') return text.split('\n').flatMap((line) => (line.trim() ? [{ line, output: [] }] : []));
    if (language !== 'console') return [];
    const [, ...commands] = text.split(/^\$ /m);
    return commands.map((command) => {
      const [line = '', ...output] = command.split('\n');
      return { line, output: output.filter((each) => !['', '...'].includes(each.trim())) };
    });
  });
}

/** Lines of the first shell block with requests below a heading of a guide. */
function requestLines(markdown: string, heading: string): string[] {
  const [, section = ''] = markdown.split(heading);
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  return (blocks.find((text) => text.includes('curl ')) ?? '').split('\n').filter((line) => line.trim());
}

const hasJq = searchPath()
  .split(delimiter)
  .some((directory) => existsSync(join(directory, 'jq')));

/** Times, ids and spaces differ between runs. */
const comparable = (line: string): string =>
  line
    .replace(/\d+(\.\d+)? s\b/g, 'N s')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}\b/g, 'ID')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
    .replace(/\s+/g, ' ')
    .trim();

describe('the guides', () => {
  let stack: Stack;
  let folder: string;
  beforeAll(async () => {
    stack = await Stack.start();
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-guides-'));
    await mkdir(join(folder, '.pilothouse/secrets'), { recursive: true });
    await writeFile(join(folder, '.pilothouse/secrets/admin.key'), stack.secrets.adminKey);
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function execute(line: string, variables: Record<string, string>) {
    const cli = `"${process.execPath}" "${await bundleOf('cli')}"`;
    const script = line
      .replaceAll('npx pilothouse', cli)
      .replaceAll('http://127.0.0.1:7180', stack.site.url)
      .replaceAll('http://127.0.0.1:7100', stack.client.url);
    const env = {
      ...{ PATH: searchPath(), HOME: folder, NO_COLOR: '1', COLUMNS: '120' },
      ...{ PILOTHOUSE_URL: stack.client.url, PILOTHOUSE_API_KEY: stack.secrets.adminKey },
      ...variables,
    };
    const running = promisify(execFile)('bash', ['-c', script], { cwd: folder, env, timeout: 120_000 });
    return running.then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
    );
  }

  test.each(['first-workflow', 'quickstart'])(
    '%s: its workflows and commands work as shown',
    async (guide) => {
      const markdown = await readFile(join(root, `docs/guides/${guide}.md`), 'utf8');
      // The goal of the quick start needs a model.
      const parts = partsOf(markdown.split('## 3. Run a goal')[0] ?? '');
      const variables: Record<string, string> = {};
      let commands = 0;
      for (const part of parts) {
        if ('file' in part) {
          await writeFile(join(folder, part.file), part.text.replaceAll('http://127.0.0.1:7180', stack.site.url));
          continue;
        }
        const [, name, value] = /^export (\w+)=(\S+)$/.exec(part.line) ?? [];
        if (name !== undefined) variables[name] = value ?? '';
        // A guide shows an error of the file that it saved before. The file has none here.
        const isMistake = part.output.some((line) => line.includes('labl'));
        if (name !== undefined || isMistake || !part.line.startsWith('npx pilothouse')) continue;
        commands += 1;
        const { code, text } = await execute(part.line, variables);
        const shown = { line: part.line, code: part.output.some((line) => line.startsWith('Failed')) ? 1 : 0 };
        expect({ line: part.line, code, ...(code !== shown.code && { text }) }).toEqual(shown);
        const lines = text.split('\n').map(comparable);
        for (const expected of part.output.map(comparable))
          expect(lines).toContainEqual(expect.stringContaining(expected));
      }
      expect(commands).toBeGreaterThan(4);
    },
    240_000,
  );

  const guide = (name: string) => readFile(join(root, `docs/guides/${name}.md`), 'utf8');

  test('quickstart: its requests work as shown', async () => {
    const markdown = await guide('quickstart');
    for (const part of partsOf(markdown))
      if ('file' in part)
        await writeFile(join(folder, part.file), part.text.replaceAll('http://127.0.0.1:7180', stack.site.url));
    const lines = requestLines(markdown, '## 4. Use it from a program');
    const variables = lines.filter((line) => /^[A-Z]+=/.test(line));
    const answers: { id?: string; status?: string; output?: unknown }[] = [];
    for (const line of lines.filter((each) => !variables.includes(each))) {
      const { code, text } = await execute([...variables, line.replace('<id>', answers[0]?.id ?? '')].join('\n'), {});
      expect({ line, code, ...(code !== 0 && { text }) }).toEqual({ line, code: 0 });
      if (line.startsWith('curl ')) answers.push(JSON.parse(text));
    }
    expect(answers).toMatchObject([
      { id: expect.any(String) },
      { id: answers[0]?.id, status: 'completed', output: expect.arrayContaining([expect.anything()]) },
    ]);
  }, 120_000);

  (hasJq ? test : test.skip)(
    'automate-with-rest: its requests work as shown',
    async () => {
      const lines = requestLines(await guide('automate-with-rest'), '# Automate with REST');
      expect(lines.filter((line) => line.includes('curl '))).toHaveLength(4);
      const { code, text } = await execute(['set -euo pipefail', ...lines].join('\n'), {});
      expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('"status": "completed"') });
      expect(text).toContain('"Widget gallery"');
      expect([...(await readFile(join(folder, 'screenshot.jpg'))).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    },
    120_000,
  );
});
