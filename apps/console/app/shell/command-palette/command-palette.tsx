import type { Role } from '@pilothouse/contract';
import { CommandDialog } from '@pilothouse/ui-kit';
import { useMemo, useState } from 'react';
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
  onOpen: (dialog: ShellDialog) => void;
  onClose: () => void;
}

/** Searches pages, actions, workflows and runs. */
export default function CommandPalette({ open, pages, projects, role, onOpen, onClose }: CommandPaletteProps) {
  const [text, setText] = useState('');
  // A failed search has no result.
  const search = useSearch<SearchResult>('/search', open ? text : null)?.result;
  const groups = useMemo(
    () => commandsFor(text, { pages, projects, role, search }),
    [text, pages, projects, role, search],
  );
  const navigate = useNavigate();
  const submit = useSubmit();
  const close = () => {
    setText('');
    onClose();
  };
  const perform = ({ target }: Command) => {
    close();
    if (target.kind === 'dialog') return onOpen(target.dialog);
    if (target.kind === 'page') return void navigate(target.to);
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
      onText={setText}
      groups={groups}
      empty="No results."
      onSelect={perform}
      onClose={close}
    />
  );
}
