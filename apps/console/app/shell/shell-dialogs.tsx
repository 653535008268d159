import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react';
import { useLocation, useMatch } from 'react-router';
import type { PaletteProject } from './command-palette/commands.ts';
import { ShortcutsDialog, useKeyboardShortcuts, type PageShortcut } from './keyboard-shortcuts.tsx';
import { useRole } from '../page/use-role.ts';
import { ShellDialogContext, type ShellDialog } from './use-shell-dialog.ts';

const isCharacter = ({ key }: KeyboardEvent) => [...key].length === 1;

/**
 * Text of the palette. While the palette loads, keys of the page become its text, and trigger no shortcut.
 * @param open the viewer has opened the palette
 * @param onClose called by Escape while the palette loads
 */
function useEarlyText(open: boolean, onClose: () => void): [string, (text: string) => void] {
  const [text, setText] = useState('');
  useEffect(() => {
    if (!open) return;
    setText('');
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      // The dialog handles its own keys.
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (target instanceof Element && target.closest('[role=dialog]')) return;
      if (key === 'Escape') onClose();
      else if (key === 'Backspace') setText((current) => current.slice(0, -1));
      else if (isCharacter(event)) setText((current) => current + key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [open, onClose]);
  return [text, setText];
}

const NewRunDialog = lazy(() => import('./new-run/new-run-dialog.tsx'));
const CommandPalette = lazy(() => import('./command-palette/command-palette.tsx'));

const isNewRun = (dialog: ShellDialog | null) => dialog === 'new-workflow-run' || dialog === 'new-goal-run';

export interface ShellDialogsProps {
  pages: readonly PageShortcut[];
  projects: readonly PaletteProject[];
  children: ReactNode;
}

/** Renders the dialogs of the shell, and listens for global keyboard shortcuts. */
export function ShellDialogs({ pages, projects, children }: ShellDialogsProps) {
  const [dialog, setDialog] = useState<ShellDialog | null>(null);
  // A dialog stays mounted after its first use, so that it can return the focus when it closes.
  const [mounted, setMounted] = useState<ReadonlySet<ShellDialog>>(new Set());
  if (dialog !== null && !mounted.has(dialog)) setMounted(new Set([...mounted, dialog]));
  const close = useCallback(() => setDialog(null), []);
  const { key } = useLocation();
  // A new run opens its page, which closes the dialog. The palette closes itself, and may reopen before the page changes.
  useEffect(() => setDialog((current) => (isNewRun(current) ? null : current)), [key]);
  const [paletteText, setPaletteText] = useEarlyText(dialog === 'palette', close);
  const openShortcuts = useCallback(() => setDialog('shortcuts'), []);
  useKeyboardShortcuts(pages, openShortcuts);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      if (event.defaultPrevented) return;
      event.preventDefault();
      setDialog((current) => (current === 'palette' ? null : (current ?? 'palette')));
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const workflow = useMatch('/workflows/:workflow/*')?.params.workflow ?? null;
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  return (
    <ShellDialogContext value={setDialog}>
      {children}
      <ShortcutsDialog open={dialog === 'shortcuts'} onClose={close} pages={pages} canOperate={canOperate} />
      <Suspense>
        {(mounted.has('new-workflow-run') || mounted.has('new-goal-run')) && (
          <NewRunDialog
            open={isNewRun(dialog)}
            kind={dialog === 'new-goal-run' ? 'goal' : 'workflow'}
            workflow={workflow === 'new' ? null : workflow}
            onClose={close}
          />
        )}
        {mounted.has('palette') && (
          <CommandPalette
            open={dialog === 'palette'}
            pages={pages}
            projects={projects}
            role={role}
            text={paletteText}
            onText={setPaletteText}
            onOpen={setDialog}
            onClose={close}
          />
        )}
      </Suspense>
    </ShellDialogContext>
  );
}
