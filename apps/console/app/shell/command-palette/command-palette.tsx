import type { Role } from '@pilothouse/contract/project/project-roles';
import { CommandDialog } from '@pilothouse/ui-kit';
import { useMemo } from 'react';
import { useNavigate, useSubmit } from 'react-router';
import type { PageShortcut } from '../keyboard-shortcuts.tsx';
import { useSearch } from '../use-search.ts';
import type { ShellDialog } from '../use-shell-dialog.ts';
import { commandsFor, type Command, type PaletteProject, type SearchResult } from './commands.ts';

export interface CommandPaletteProps {
  open: boolean;
  pages: readonly PageShortcut[];
  projects: readonly PaletteProject[];
  role: Role | undefined;
  /** Text of the search field. */
  text: string;
  onText: (text: string) => void;
  onOpen: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Searches pages, actions, workflows and runs. */
export default function CommandPalette({
  open,
  pages,
  projects,
  role,
  text,
  onText,
  onOpen,
  onClose,
}: CommandPaletteProps) {
  // A failed search has no result.
  const search = useSearch<SearchResult>('/search', open ? text : null)?.result;
  const groups = useMemo(
    () => commandsFor(text, { pages, projects, role, search }),
    [text, pages, projects, role, search],
  );
  const navigate = useNavigate();
  const submit = useSubmit();
  const perform = ({ target }: Command) => {
    onClose();
    if (target.kind === 'dialog') return onOpen(target.dialog);
    if (target.kind === 'page') return void navigate(target.href);
    const options = { method: 'post', action: target.action } as const;
    // A theme switch stays on the current page.
    return void (target.action === '/theme'
      ? submit(target.fields, { ...options, navigate: false })
      : submit(target.fields, options));
  };
  return (
    <CommandDialog
      open={open}
      title="Command palette"
      searchLabel="Search pages, actions, workflows and runs"
      text={text}
      onText={onText}
      groups={groups}
      empty="No results."
      onSelect={perform}
      onClose={onClose}
    />
  );
}
