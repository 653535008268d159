import { roleIncludes, type Role } from '@pilothouse/contract/project/project-roles';
import type { CommandEntry, CommandGroup } from '@pilothouse/ui-kit';
import { learningSections, settingsSections } from '../../page/page-sections.ts';
import { shortId } from '../../shared/number-format.ts';
import type { ShellDialog } from '../use-shell-dialog.ts';

/** Result of a search on the server. */
export interface SearchResult {
  /** Searched text. */
  text: string;
  workflows: { name: string; title: string | null }[];
  runs: { id: string; name: string; status: string }[];
}

/** Project that the viewer can switch to. */
export interface PaletteProject {
  id: string;
  name: string;
}

/** Entry of the command palette. */
export interface Command extends CommandEntry {
  /** Additional search words. */
  keywords?: string;
  target:
    | { kind: 'page'; href: string }
    | { kind: 'dialog'; dialog: ShellDialog }
    | { kind: 'submit'; action: string; fields: Readonly<Record<string, string>> };
}

export interface CommandOptions {
  pages: readonly { href: string; name: string; key?: string }[];
  /** Projects of the viewer, without the selected one. */
  projects: readonly PaletteProject[];
  role: Role | undefined;
  search: SearchResult | undefined;
}

const page = (href: string, label: string, rest: Partial<Command> = {}): Command => ({
  value: `page ${href}`,
  label,
  target: { kind: 'page', href },
  ...rest,
});

const theme = (name: string): Command => ({
  value: `theme ${name}`,
  label: `Theme: ${name}`,
  keywords: 'color mode',
  target: { kind: 'submit', action: '/theme', fields: { theme: name } },
});

const otherPages: readonly Command[] = [page('/live', 'Live grid')];

/** Learning pages, without the first, which the navigation contains. */
const learningPages: readonly Command[] = learningSections
  .slice(1)
  .map(({ href, name }) => page(href, `Learning: ${name}`));

/** Pages of the settings, without the first, which the navigation contains. */
const settingsPages = (role: Role | undefined): Command[] =>
  settingsSections(role)
    .slice(1)
    .map(({ href, name }) => page(href, `Settings: ${name}`));

const operatorCommands: readonly Command[] = [
  {
    value: 'new-run',
    label: 'New run',
    detail: 'c',
    keywords: 'start create workflow',
    target: { kind: 'dialog', dialog: 'new-workflow-run' },
  },
  {
    value: 'new-goal-run',
    label: 'New run with a goal',
    keywords: 'start create agent',
    target: { kind: 'dialog', dialog: 'new-goal-run' },
  },
  page('/workflows/new', 'New workflow', { keywords: 'create' }),
];

const adminCommands: readonly Command[] = [page('/learning/datasets/new', 'New dataset', { keywords: 'create build' })];

/** True if every word of a text occurs in a command. */
function matches({ label, detail = '', keywords = '' }: Command, text: string): boolean {
  const content = `${label} ${detail} ${keywords}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => content.includes(word));
}

/**
 * Commands that match a text, in groups, without empty groups. The server selects the workflows and runs. Until its next
 * result arrives, the result for an earlier text is filtered here.
 */
export function commandsFor(text: string, { pages, projects, role, search }: CommandOptions): CommandGroup<Command>[] {
  const filter = (commands: readonly Command[]) => commands.filter((command) => matches(command, text.trim()));
  const filterResults = search?.text === text.trim() ? (commands: Command[]) => commands : filter;
  const groups: CommandGroup<Command>[] = [
    {
      value: 'Actions',
      items: filter([
        ...(role !== undefined && roleIncludes(role, 'operator') ? operatorCommands : []),
        ...(role !== undefined && roleIncludes(role, 'admin') ? adminCommands : []),
        ...projects.map(({ id, name }): Command => ({
          value: `project ${id}`,
          label: `Switch to project ${name}`,
          target: { kind: 'submit', action: '/switch-project', fields: { project: id } },
        })),
        ...['system', 'light', 'dark'].map(theme),
        {
          value: 'shortcuts',
          label: 'Keyboard shortcuts',
          detail: '?',
          target: { kind: 'dialog', dialog: 'shortcuts' },
        },
      ]),
    },
    {
      value: 'Pages',
      items: filter([
        ...pages.map(({ href, name, key }) => page(href, name, key === undefined ? {} : { detail: `g ${key}` })),
        ...otherPages,
        ...learningPages,
        ...settingsPages(role),
      ]),
    },
    {
      value: 'Workflows',
      items: filterResults(
        (search?.workflows ?? []).map(({ name, title }) =>
          page(`/workflows/${name}`, name, title === null ? {} : { detail: title }),
        ),
      ),
    },
    {
      value: 'Recent runs',
      items: filterResults(
        (search?.runs ?? []).map(({ id, name, status }) =>
          page(`/runs/${id}`, `${name} ${shortId(id)}`, { detail: status }),
        ),
      ),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
