import { useEffect, useState } from 'react';

const isCharacter = ({ key }: KeyboardEvent) => [...key].length === 1;

/**
 * Text of the palette. While the palette loads, keys of the page become its text, and trigger no shortcut.
 * @param open the viewer has opened the palette
 * @param onClose called by Escape while the palette loads
 */
export function useEarlyText(open: boolean, onClose: () => void): [string, (text: string) => void] {
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
