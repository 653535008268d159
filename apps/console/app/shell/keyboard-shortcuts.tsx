import { Button, Dialog, Kbd } from '@pilothouse/ui-kit';
import { Keyboard } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';

/** Maximum milliseconds between `g` and the letter of a page. */
const SEQUENCE_MS = 1_500;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Focuses the next or previous row, or the first one. */
function focusRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? rows[0] : rows[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Global keyboard shortcuts and their help. Pages add shortcuts with `data-shortcut`: the element is focused or clicked. */
export function KeyboardShortcuts({ pages }: { pages: readonly { to: string; name: string; key: string }[] }) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const goKeyPressedAt = useRef(-Infinity);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const since = event.timeStamp - goKeyPressedAt.current;
      goKeyPressedAt.current = -Infinity;
      if (event.key === '?') return setOpen(true);
      if (event.key === 'g') {
        goKeyPressedAt.current = event.timeStamp;
        return;
      }
      const page = since < SEQUENCE_MS && pages.find(({ key }) => key === event.key);
      if (page) return void navigate(page.to);
      if (event.key === 'j' || event.key === 'k') return focusRow(event.key === 'j' ? 1 : -1);
      const element = document.querySelector<HTMLElement>(`[data-shortcut="${CSS.escape(event.key)}"]`);
      if (!element) return;
      event.preventDefault();
      if (element instanceof HTMLInputElement) element.focus();
      else element.click();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [navigate, pages]);
  return (
    <>
      <Button variant="quiet" icon aria-label="Keys" title="Keys (?)" onClick={() => setOpen(true)}>
        <Keyboard aria-hidden="true" />
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Keys">
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2 text-sm">
          {pages.map(({ key, name }) => (
            <div key={key} className="contents">
              <dt>
                <Kbd>g</Kbd> <Kbd>{key}</Kbd>
              </dt>
              <dd>{name}</dd>
            </div>
          ))}
          <dt>
            <Kbd>/</Kbd>
          </dt>
          <dd>Search in a list</dd>
          <dt>
            <Kbd>j</Kbd> <Kbd>k</Kbd>
          </dt>
          <dd>Next and previous row or step</dd>
          <dt>
            <Kbd>?</Kbd>
          </dt>
          <dd>This list</dd>
        </dl>
      </Dialog>
    </>
  );
}
