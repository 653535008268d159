import { MAX_INPUT_TEXT } from '@pilothouse/contract';
import { useEffect, useRef } from 'react';
import { chordOf, placeIn } from '../lib/wheel-input.ts';
import type { WheelHandle } from './use-wheel.ts';

/** Milliseconds between two places of a pointer that moves. */
const MOVING_MS = 50;

/** Pixels by which a finger may move and still only touches. */
const TOUCH_PX = 10;

/** Pixels that a line or a page of a mouse's wheel is. */
const LINE_PX = 40;

/**
 * Mouse, fingers, keys, the input method and the clipboard of who drives: a field without looks over the picture, which gets what is typed as the
 * browser of the viewer makes it, composed characters included.
 */
export function RunHands({ send }: Pick<WheelHandle, 'send'>) {
  const field = useRef<HTMLTextAreaElement>(null);
  const moved = useRef(0);
  const finger = useRef<{ x: number; y: number; scrolls: boolean } | null>(null);

  // React listens to turns of the wheel passively: the page would scroll, too.
  useEffect(() => {
    const element = field.current;
    if (!element) return undefined;
    element.focus({ preventScroll: true });
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const by = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      const place = placeIn(element.getBoundingClientRect(), event);
      send({ kind: 'scroll', ...place, dx: event.deltaX * by, dy: event.deltaY * by });
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [send]);

  const placeOf = (event: React.MouseEvent) => placeIn(event.currentTarget.getBoundingClientRect(), event);
  /** Only what says of the mouse how often it clicked in a row. */
  const press = (kind: 'down' | 'up', event: React.MouseEvent) => {
    const button = (['left', 'middle', 'right'] as const)[event.button];
    if (button) send({ kind, ...placeOf(event), button, count: Math.min(3, Math.max(1, event.detail)) });
  };
  /** What was typed, once the input method has made up its mind. */
  const takeText = (element: HTMLTextAreaElement) => {
    if (element.value !== '') send({ kind: 'text', text: element.value });
    element.value = '';
  };

  return (
    <textarea
      ref={field}
      aria-label="The browser of the run. What you type goes there; Shift and Escape leave it"
      className="absolute inset-0 h-full w-full cursor-crosshair touch-none resize-none rounded border-2 border-primary bg-transparent text-transparent caret-transparent outline-offset-2 select-none"
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      onContextMenu={(event) => event.preventDefault()}
      onPointerMove={(event) => {
        const touch = finger.current;
        if (touch) {
          const [dx, dy] = [touch.x - event.clientX, touch.y - event.clientY];
          if (!touch.scrolls && Math.hypot(dx, dy) < TOUCH_PX) return;
          finger.current = { x: event.clientX, y: event.clientY, scrolls: true };
          return send({ kind: 'scroll', ...placeOf(event), dx, dy });
        }
        if (event.timeStamp - moved.current < MOVING_MS) return;
        moved.current = event.timeStamp;
        send({ kind: 'move', ...placeOf(event) });
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        if (event.pointerType !== 'touch') return;
        // What a browser makes of a touch for pages that know the mouse alone would be a second click.
        event.preventDefault();
        event.currentTarget.focus({ preventScroll: true });
        finger.current = { x: event.clientX, y: event.clientY, scrolls: false };
      }}
      onPointerUp={(event) => {
        const touch = finger.current;
        finger.current = null;
        if (!touch || touch.scrolls) return;
        for (const kind of ['down', 'up'] as const) send({ kind, ...placeOf(event), button: 'left', count: 1 });
      }}
      onPointerCancel={() => (finger.current = null)}
      onMouseDown={(event) => press('down', event)}
      onMouseUp={(event) => press('up', event)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && event.shiftKey) return event.currentTarget.blur();
        const chord = chordOf(event.nativeEvent);
        if (chord === null) return;
        event.preventDefault();
        send({ kind: 'key', key: chord });
      }}
      onInput={(event) => {
        if (!(event.nativeEvent as InputEvent).isComposing) takeText(event.currentTarget);
      }}
      onCompositionEnd={(event) => takeText(event.currentTarget)}
      onPaste={(event) => {
        event.preventDefault();
        const text = event.clipboardData.getData('text/plain');
        if (text !== '') send({ kind: 'paste', text: text.slice(0, MAX_INPUT_TEXT) });
      }}
    />
  );
}
