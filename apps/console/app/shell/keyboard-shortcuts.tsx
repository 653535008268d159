import { Dialog, Kbd } from '@pilothouse/ui-kit';
import { useEffect, useRef, type ReactNode } from 'react';
import { useNavigate } from 'react-router';

/** Maximum milliseconds between `g` and the letter of a page. */
const SEQUENCE_MS = 1_500;

/** Page of the main navigation, opened by `g` and its letter. */
export interface PageShortcut {
  href: string;
  name: string;
  key: string;
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** In a menu, letters select an item. */
const isOverlayOpen = () => document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;

/** Focuses the next or previous row. Without a focused row, the first one. */
function focusRow(offset: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const index = rows.findIndex((row) => row === document.activeElement);
  const next = index < 0 ? rows[0] : rows[index + offset];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Arrow keys move in these. */
const ARROW_WIDGETS = '[role=region], [role=slider], [role=tablist], [role=group], summary';

/** Element with a shortcut. One of the page precedes one of the shell. */
function shortcutElement({ key, target }: KeyboardEvent): HTMLElement | null {
  if (key.startsWith('Arrow') && target instanceof Element && target.closest(ARROW_WIDGETS)) return null;
  const selector = `[data-shortcut~="${CSS.escape(key)}"]`;
  return document.querySelector<HTMLElement>(`main ${selector}`) ?? document.querySelector<HTMLElement>(selector);
}

function activate(element: HTMLElement, event: KeyboardEvent): void {
  event.preventDefault();
  if (element instanceof HTMLInputElement) element.focus();
  else element.click();
}

/**
 * Global keyboard shortcuts. Pages add shortcuts with `data-shortcut`, one or several keys: the element is focused or
 * clicked.
 */
export function useKeyboardShortcuts(pages: readonly PageShortcut[], onHelp: () => void): void {
  const navigate = useNavigate();
  const goKeyPressedAt = useRef(-Infinity);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isOverlayOpen()) return;
      const sinceGoKeyMs = event.timeStamp - goKeyPressedAt.current;
      goKeyPressedAt.current = -Infinity;
      if (event.key === '?') return onHelp();
      const element = shortcutElement(event);
      // A shortcut of the page precedes the global one.
      if (element?.closest('main')) return activate(element, event);
      if (event.key === 'g') {
        goKeyPressedAt.current = event.timeStamp;
        return;
      }
      const page = sinceGoKeyMs < SEQUENCE_MS && pages.find(({ key }) => key === event.key);
      if (page) return void navigate(page.href);
      if (event.key === 'j' || event.key === 'k') return focusRow(event.key === 'j' ? 1 : -1);
      if (element) activate(element, event);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, pages, onHelp]);
}

export interface ShortcutsDialogProps {
  open: boolean;
  onClose: () => void;
  pages: readonly PageShortcut[];
  canOperate: boolean;
}

/** List of the keyboard shortcuts. */
export const ShortcutsDialog = ({ open, onClose, pages, canOperate }: ShortcutsDialogProps) => (
  <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-sm">
      <Shortcut keys={['Ctrl', 'K']}>Command palette (⌘ K on a Mac)</Shortcut>
      {canOperate && <Shortcut keys={['c']}>New run</Shortcut>}
      {pages.map(({ key, name }) => (
        <Shortcut key={key} keys={['g', key]}>
          {name}
        </Shortcut>
      ))}
      <Shortcut keys={['/']}>Search</Shortcut>
      <Shortcut keys={['j', 'k']}>Next / previous row or step</Shortcut>
      {canOperate && <Shortcut keys={['g']}>Trace: label the step good</Shortcut>}
      {canOperate && <Shortcut keys={['b']}>Trace: label the step bad</Shortcut>}
      {canOperate && <Shortcut keys={['c']}>Trace: correct the step</Shortcut>}
      <Shortcut keys={['j', 'k', '→', '←']}>Trace: next / previous step</Shortcut>
      <Shortcut keys={['n']}>Trace: next trace of the queue</Shortcut>
      <Shortcut keys={['?']}>Show shortcuts</Shortcut>
    </dl>
  </Dialog>
);

const Shortcut = ({ keys, children }: { keys: readonly string[]; children: ReactNode }) => (
  <>
    <dt className="flex gap-1">
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </dt>
    <dd>{children}</dd>
  </>
);
