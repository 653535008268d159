import { MAX_INPUT_TEXT, type DropdownOptions } from '@pilothouse/contract';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { TouchGestures, type Gesture } from './touch-gestures.ts';
import { chordOf, opensList, pointIn } from './control-input.ts';
import { SelectOptions } from './select-options.tsx';
import type { PageControl } from './use-control-session.ts';

/** Milliseconds between two places of a pointer that moves. */
const MOVING_MS = 50;

/** Pixels that a line or a page of a mouse's wheel is. */
const LINE_PX = 40;

export interface RemoteInputLayerProps {
  control: Pick<PageControl, 'send' | 'choices'>;
  /** Copies out of the page, by the keys for it; left out: they go to the page alone. */
  onCopy?: (cut: boolean) => void;
  /** Whether a touch opens the keyboard of a phone. */
  keyboard?: boolean;
  /** The field that gets what is typed. */
  field?: RefObject<HTMLTextAreaElement | null>;
}

/**
 * Mouse, fingers, keys, the input method and the clipboard of who drives: a field without looks over the picture, which gets what is typed as the
 * browser of the viewer makes it, composed characters included.
 */
export function RemoteInputLayer({ control: { send, choices }, onCopy, keyboard = true, field: given }: RemoteInputLayerProps) {
  const own = useRef<HTMLTextAreaElement>(null);
  const field = given ?? own;
  const moved = useRef(0);
  const touches = useRef<TouchGestures>(null);
  const [list, setList] = useState<{ number: number; choices: NonNullable<DropdownOptions['choices']> } | null>(null);
  const asked = useRef(0);

  /** A list may have been opened; of two questions the later one counts. */
  const lookForList = useCallback(async () => {
    const number = (asked.current += 1);
    const { answer } = await choices();
    if (number === asked.current) setList(answer?.choices ? { number, choices: answer.choices } : null);
  }, [choices]);
  const closeList = () => {
    asked.current += 1;
    setList(null);
  };
  const leaveList = () => {
    closeList();
    field.current?.focus({ preventScroll: true });
  };

  const click = useCallback(
    (at: { clientX: number; clientY: number }, button: 'left' | 'right') => {
      if (!field.current) return;
      const point = pointIn(field.current.getBoundingClientRect(), at);
      for (const kind of ['down', 'up'] as const) send({ kind, ...point, button, count: 1 });
      if (button === 'left') void lookForList();
    },
    [field, send, lookForList],
  );
  const gesture = useCallback(
    (meant: Gesture) => {
      if (meant.kind !== 'pan') return click(meant.at, meant.kind === 'tap' ? 'left' : 'right');
      const element = field.current;
      if (!element) return;
      const by = scaleOf(element);
      const point = pointIn(element.getBoundingClientRect(), meant.at);
      send({ kind: 'scroll', ...point, dx: meant.dx * by, dy: meant.dy * by });
    },
    [field, send, click],
  );
  useEffect(() => {
    touches.current = new TouchGestures(gesture);
  }, [gesture]);

  // React listens to turns of the wheel passively: the page would scroll, too.
  useEffect(() => {
    const element = field.current;
    if (!element) return undefined;
    element.focus({ preventScroll: true });
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const by = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      const point = pointIn(element.getBoundingClientRect(), event);
      send({ kind: 'scroll', ...point, dx: event.deltaX * by, dy: event.deltaY * by });
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [field, send]);

  const pointOf = (event: React.MouseEvent) => pointIn(event.currentTarget.getBoundingClientRect(), event);
  /** Only what says of the mouse how often it clicked in a row. */
  const press = (kind: 'down' | 'up', event: React.MouseEvent) => {
    const button = (['left', 'middle', 'right'] as const)[event.button];
    if (!button) return;
    send({ kind, ...pointOf(event), button, count: Math.min(3, Math.max(1, event.detail)) });
    if (kind === 'up' && button === 'left') void lookForList();
  };
  /** What was typed, once the input method has made up its mind. */
  const takeText = (element: HTMLTextAreaElement) => {
    const text = element.value;
    element.value = '';
    if (text === '') return;
    send({ kind: 'text', text });
    if (opensList(text)) void lookForList();
  };

  return (
    <>
      <textarea
        ref={field}
        aria-label="The browser of the run. What you type goes there; Shift and Escape leave it"
        className="absolute inset-0 h-full w-full cursor-crosshair touch-none resize-none rounded border-2 border-primary bg-transparent text-transparent caret-transparent outline-offset-2 select-none"
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        inputMode={keyboard ? 'text' : 'none'}
        onContextMenu={(event) => event.preventDefault()}
        onPointerMove={(event) => {
          if (event.pointerType === 'touch') return touches.current?.move(event);
          if (event.timeStamp - moved.current < MOVING_MS) return;
          moved.current = event.timeStamp;
          send({ kind: 'move', ...pointOf(event) });
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          closeList();
          if (event.pointerType !== 'touch') return;
          // What a browser makes of a touch for pages that know the mouse alone would be a second click.
          event.preventDefault();
          event.currentTarget.focus({ preventScroll: true });
          touches.current?.down(event);
        }}
        onPointerUp={(event) => {
          if (event.pointerType === 'touch') touches.current?.up(event);
        }}
        onPointerCancel={(event) => touches.current?.cancel(event)}
        onMouseDown={(event) => press('down', event)}
        onMouseUp={(event) => press('up', event)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && event.shiftKey) return event.currentTarget.blur();
          const chord = chordOf(event.nativeEvent);
          if (chord === null) return;
          event.preventDefault();
          if (onCopy && (chord === 'Control+C' || chord === 'Control+X')) return onCopy(chord === 'Control+X');
          send({ kind: 'key', key: chord });
          if (opensList(chord)) void lookForList();
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
      {list && (
        <SelectOptions
          key={list.number}
          choices={list.choices}
          onChoose={(choice, label) => {
            send({ kind: 'choose', choice, label });
            leaveList();
          }}
          onClose={leaveList}
          onBlur={closeList}
        />
      )}
    </>
  );
}

/** Pixels of the page that are one of the picture, which is made smaller to fit: what is under a finger stays under it. */
function scaleOf(element: HTMLElement): number {
  const picture = element.parentElement?.querySelector('img');
  return picture && picture.clientWidth > 0 ? picture.naturalWidth / picture.clientWidth : 1;
}
