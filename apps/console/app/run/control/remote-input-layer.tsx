import { MAX_INPUT_TEXT } from '@pilothouse/contract/control/control-limits';
import type { DropdownOptions } from '@pilothouse/contract/control/control.schema';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { TouchGestures, type Gesture } from './touch-gestures.ts';
import { chordOf, opensList, pointIn } from './control-input.ts';
import { SelectOptions } from './select-options.tsx';
import { useSurfaceTraits } from '../../shared/surface-labels.ts';
import type { PageControl } from './use-control-session.ts';

/** Milliseconds between two pointer positions. */
const MOVE_INTERVAL_MS = 50;

/** Pixels of one line in wheel events. */
const LINE_PX = 40;

export interface RemoteInputLayerProps {
  control: Pick<PageControl, 'send' | 'selectOptions'>;
  /** Copies the selection of the page. Omitted: the keys go to the page. */
  onCopy?: (cut: boolean) => void;
  /** True if a touch opens the on-screen keyboard. */
  opensKeyboard?: boolean;
  /** Field that receives text input. */
  field?: RefObject<HTMLTextAreaElement | null>;
}

/**
 * Captures mouse, touch, keyboard, input method and clipboard of the person in control. An invisible text field covers
 * the screencast, so that the local browser composes the text.
 */
export function RemoteInputLayer({
  control: { send, selectOptions },
  onCopy,
  opensKeyboard = true,
  field: externalField,
}: RemoteInputLayerProps) {
  const { isPaged, noun, viewName } = useSurfaceTraits();
  const internalField = useRef<HTMLTextAreaElement>(null);
  const field = externalField ?? internalField;
  const lastMoveAt = useRef(0);
  const touches = useRef<TouchGestures>(null);
  const [list, setList] = useState<{ requestNumber: number; choices: NonNullable<DropdownOptions['dropdown']> } | null>(
    null,
  );
  const lastRequest = useRef(0);

  /** Opens the options of a select that may have been opened. Only the latest request counts. */
  const openSelectList = useCallback(async () => {
    // The screen of a desktop shows its own lists.
    if (!isPaged) return;
    const requestNumber = (lastRequest.current += 1);
    const { answer } = await selectOptions();
    if (requestNumber === lastRequest.current)
      setList(answer?.dropdown ? { requestNumber, choices: answer.dropdown } : null);
  }, [isPaged, selectOptions]);
  const closeList = () => {
    lastRequest.current += 1;
    setList(null);
  };
  const closeAndFocus = () => {
    closeList();
    field.current?.focus({ preventScroll: true });
  };

  const click = useCallback(
    (position: { clientX: number; clientY: number }, button: 'left' | 'right') => {
      if (!field.current) return;
      const point = pointIn(field.current.getBoundingClientRect(), position);
      for (const kind of ['down', 'up'] as const) send({ kind, ...point, button, count: 1 });
      if (button === 'left') void openSelectList();
    },
    [field, send, openSelectList],
  );
  const onGesture = useCallback(
    (gesture: Gesture) => {
      if (gesture.kind !== 'pan') return click(gesture.point, gesture.kind === 'tap' ? 'left' : 'right');
      const element = field.current;
      if (!element) return;
      const factor = scaleOf(element);
      const point = pointIn(element.getBoundingClientRect(), gesture.point);
      send({ kind: 'scroll', ...point, dx: gesture.dx * factor, dy: gesture.dy * factor });
    },
    [field, send, click],
  );
  useEffect(() => {
    touches.current = new TouchGestures(onGesture);
  }, [onGesture]);

  // React registers passive wheel listeners: the page would also scroll.
  useEffect(() => {
    const element = field.current;
    if (!element) return undefined;
    element.focus({ preventScroll: true });
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const factor = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      const point = pointIn(element.getBoundingClientRect(), event);
      send({ kind: 'scroll', ...point, dx: event.deltaX * factor, dy: event.deltaY * factor });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [field, send]);

  const pointOf = (event: React.MouseEvent) => pointIn(event.currentTarget.getBoundingClientRect(), event);
  /** Only mouse events report the click count. */
  const press = (kind: 'down' | 'up', event: React.MouseEvent) => {
    const button = (['left', 'middle', 'right'] as const)[event.button];
    if (!button) return;
    send({ kind, ...pointOf(event), button, count: Math.min(3, Math.max(1, event.detail)) });
    if (kind === 'up' && button === 'left') void openSelectList();
  };
  /** Sends typed text after its composition. */
  const sendText = (element: HTMLTextAreaElement) => {
    const text = element.value;
    element.value = '';
    if (text === '') return;
    send({ kind: 'text', text });
    if (opensList(text)) void openSelectList();
  };

  return (
    <>
      <textarea
        ref={field}
        aria-label={`Remote ${noun}. Keys go to the ${viewName}; Shift+Esc leaves it`}
        className="absolute inset-0 h-full w-full cursor-crosshair touch-none resize-none rounded border-2 border-primary bg-transparent text-transparent caret-transparent outline-offset-2 select-none"
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        inputMode={opensKeyboard ? 'text' : 'none'}
        onContextMenu={(event) => event.preventDefault()}
        onPointerMove={(event) => {
          if (event.pointerType === 'touch') return touches.current?.move(event);
          if (event.timeStamp - lastMoveAt.current < MOVE_INTERVAL_MS) return;
          lastMoveAt.current = event.timeStamp;
          send({ kind: 'move', ...pointOf(event) });
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          closeList();
          if (event.pointerType !== 'touch') return;
          // Prevents the emulated mouse events of a touch, which would click a second time.
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
          if (opensList(chord)) void openSelectList();
        }}
        onInput={(event) => {
          if (!(event.nativeEvent as InputEvent).isComposing) sendText(event.currentTarget);
        }}
        onCompositionEnd={(event) => sendText(event.currentTarget)}
        onPaste={(event) => {
          event.preventDefault();
          const text = event.clipboardData.getData('text/plain');
          if (text !== '') send({ kind: 'paste', text: text.slice(0, MAX_INPUT_TEXT) });
        }}
      />
      {list && (
        <SelectOptions
          key={list.requestNumber}
          choices={list.choices}
          onChoose={(index, label) => {
            send({ kind: 'selectOption', index, label });
            closeAndFocus();
          }}
          onClose={closeAndFocus}
          onBlur={closeList}
        />
      )}
    </>
  );
}

/** Ratio of page pixels to displayed pixels, so that content stays under the finger. */
function scaleOf(element: HTMLElement): number {
  const image = element.parentElement?.querySelector('img');
  return image && image.clientWidth > 0 ? image.naturalWidth / image.clientWidth : 1;
}
