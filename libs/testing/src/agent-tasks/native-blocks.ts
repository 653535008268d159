import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { ComputerTool } from '@pilothouse/contract/model/native-turn.schema';

/* Blocks of the providers for inputs. */

/** One input, independent of the provider. Points are thousandths of the screen. */
export type NativeInput =
  | {
      readonly kind: 'click';
      readonly point: Point;
      readonly ref: number;
      readonly count: 1 | 2 | 3;
      readonly button: 'left' | 'right' | 'middle';
    }
  | { readonly kind: 'hover'; readonly point: Point; readonly ref: number }
  | { readonly kind: 'drag'; readonly point: Point; readonly to: Point }
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'key'; readonly keys: readonly string[]; readonly times: number }
  /** @property down pixels */
  | { readonly kind: 'scroll'; readonly point: Point; readonly down: number }
  | { readonly kind: 'wait'; readonly seconds: number }
  /** Sets a field, a state or a choice. Only a browser tool has it. */
  | { readonly kind: 'set'; readonly ref: number; readonly value: string | boolean }
  | { readonly kind: 'readText' }
  | { readonly kind: 'function'; readonly name: string; readonly args: ModelCall['args'] };

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Screen {
  readonly width: number;
  readonly height: number;
}

/** Call of a member or function. */
interface MemberCall {
  readonly name: string;
  readonly args: object;
  readonly isFunction?: true;
}

const pixels = ({ x, y }: Point, { width, height }: Screen): [x: number, y: number] => [
  Math.min(width - 1, Math.round((x / 1000) * width)),
  Math.min(height - 1, Math.round((y / 1000) * height)),
];

const thousandths = ({ x, y }: Point) => ({ x: Math.round(x), y: Math.round(y) });

const CLICK_NAMES = {
  left: ['left_click', 'double_click', 'triple_click'],
  right: ['right_click'],
  middle: ['middle_click'],
};

const clickName = ({ count, button }: Extract<NativeInput, { kind: 'click' }>): string =>
  CLICK_NAMES[button][button === 'left' ? count - 1 : 0] ?? 'left_click';

const notches = (down: number) => ({
  scroll_direction: down < 0 ? 'up' : 'down',
  scroll_amount: Math.max(1, Math.round(Math.abs(down) / 100)),
});

const unsupported = (kind: string): never => {
  throw new Error(`The tool has no ${kind}`);
};

function anthropicComputer(input: NativeInput, screen: Screen): MemberCall {
  switch (input.kind) {
    case 'click':
      return { name: clickName(input), args: { coordinate: pixels(input.point, screen) } };
    case 'hover':
      return { name: 'mouse_move', args: { coordinate: pixels(input.point, screen) } };
    case 'drag':
      return {
        name: 'left_click_drag',
        args: { start_coordinate: pixels(input.point, screen), coordinate: pixels(input.to, screen) },
      };
    case 'type':
      return { name: 'type', args: { text: input.text } };
    case 'key':
      return { name: 'key', args: { text: input.keys.join('+'), ...(input.times > 1 && { repeat: input.times }) } };
    case 'scroll':
      return { name: 'scroll', args: { coordinate: pixels(input.point, screen), ...notches(input.down) } };
    case 'wait':
      return { name: 'wait', args: { duration: input.seconds } };
    case 'function':
      return { name: input.name, args: input.args, isFunction: true };
    default:
      return unsupported(input.kind);
  }
}

function anthropicBrowser(input: NativeInput, screen: Screen): MemberCall {
  const coordinate = (point: Point) => {
    const [x, y] = pixels(point, screen);
    return { type: 'coordinate', x, y };
  };
  const target = (ref: number) => ({ target: { type: 'ref', ref: `ref_${ref}` } });
  switch (input.kind) {
    case 'click':
      return { name: clickName(input), args: target(input.ref) };
    case 'hover':
      return { name: 'hover', args: target(input.ref) };
    case 'drag':
      return { name: 'left_click_drag', args: { from: coordinate(input.point), target: coordinate(input.to) } };
    case 'scroll':
      return { name: 'scroll', args: { target: coordinate(input.point), ...notches(input.down) } };
    case 'set':
      return { name: 'form_input', args: { ...target(input.ref), value: input.value } };
    case 'readText':
      return { name: 'get_page_text', args: {} };
    default:
      return anthropicComputer(input, screen);
  }
}

function openaiAction(input: NativeInput, screen: Screen): object[] {
  const place = (point: Point) => {
    const [x, y] = pixels(point, screen);
    return { x, y };
  };
  switch (input.kind) {
    case 'click':
      if (input.count === 2) return [{ type: 'double_click', ...place(input.point), keys: null }];
      return [{ type: 'click', button: input.button === 'middle' ? 'wheel' : input.button, ...place(input.point) }];
    case 'hover':
      return [{ type: 'move', ...place(input.point) }];
    case 'drag':
      return [{ type: 'drag', path: [place(input.point), place(input.to)] }];
    case 'type':
      return [{ type: 'type', text: input.text }];
    case 'key':
      return Array.from({ length: input.times }, () => ({ type: 'keypress', keys: [...input.keys] }));
    case 'scroll':
      return [{ type: 'scroll', ...place(input.point), scroll_x: 0, scroll_y: input.down }];
    case 'wait':
      return [{ type: 'wait' }];
    default:
      return unsupported(input.kind);
  }
}

const GEMINI_CLICKS: Readonly<Record<string, string>> = { left_click: 'click' };

function geminiCalls(input: NativeInput): MemberCall[] {
  switch (input.kind) {
    case 'click': {
      const name = clickName(input);
      return [{ name: GEMINI_CLICKS[name] ?? name, args: thousandths(input.point) }];
    }
    case 'hover':
      return [{ name: 'move', args: thousandths(input.point) }];
    case 'drag': {
      const [start, end] = [thousandths(input.point), thousandths(input.to)];
      return [{ name: 'drag_and_drop', args: { start_x: start.x, start_y: start.y, end_x: end.x, end_y: end.y } }];
    }
    case 'type':
      return [{ name: 'type', args: { text: input.text } }];
    case 'key':
      return Array.from({ length: input.times }, () => ({ name: 'hotkey', args: { keys: [...input.keys] } }));
    case 'scroll':
      return [{ name: 'scroll', args: { ...thousandths(input.point), direction: input.down < 0 ? 'up' : 'down' } }];
    case 'wait':
      return [{ name: 'wait', args: { seconds: input.seconds } }];
    case 'function':
      return [{ name: input.name, args: input.args, isFunction: true }];
    default:
      return unsupported(input.kind);
  }
}

const thinking = { type: 'thinking', thinking: 'The page lists what the goal is about.', signature: 'c2lnbmVk' };

/** Consecutive inputs become one call; a function is a call of its own. */
function openaiBlocks(inputs: readonly NativeInput[], screen: Screen, id: string): object[] {
  const blocks: object[] = [{ type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: 'c2VjcmV0' }];
  let actions: object[] = [];
  const flush = () => {
    if (actions.length === 0) return;
    const callId = `${id}_${blocks.length}`;
    blocks.push({
      ...{ type: 'computer_call', id: `cu_${callId}`, call_id: callId, status: 'completed', pending_safety_checks: [] },
      actions,
    });
    actions = [];
  };
  for (const input of inputs) {
    if (input.kind !== 'function') {
      actions.push(...openaiAction(input, screen));
      continue;
    }
    flush();
    const callId = `${id}_${blocks.length}`;
    blocks.push({
      ...{ type: 'function_call', id: `fc_${callId}`, call_id: callId, status: 'completed' },
      ...{ name: input.name, arguments: JSON.stringify(input.args) },
    });
  }
  flush();
  return blocks;
}

/** @param id prefix of the ids @throws Error for an input that the tool does not have */
export function nativeBlocks(tool: ComputerTool, inputs: readonly NativeInput[], screen: Screen, id: string): object[] {
  const toolUse = (call: MemberCall, index: number, family: string | null) => ({
    ...{ type: 'tool_use', id: `${id}_${index}`, name: call.name, input: call.args, caller: { type: 'direct' } },
    ...(family !== null && !call.isFunction && { toolset_name: family }),
  });
  switch (tool) {
    case 'computer_toolset_20260801':
      return [thinking, ...inputs.map((input, index) => toolUse(anthropicComputer(input, screen), index, 'computer'))];
    case 'browser_toolset_20260801':
      return [thinking, ...inputs.map((input, index) => toolUse(anthropicBrowser(input, screen), index, 'browser'))];
    case 'computer_20251124': {
      const calls = inputs.map((input) => anthropicComputer(input, screen));
      const named = calls.map((call) =>
        call.isFunction ? call : { name: 'computer', args: { action: call.name, ...call.args } },
      );
      return [thinking, ...named.map((call, index) => toolUse(call, index, null))];
    }
    case 'openai_computer':
      return openaiBlocks(inputs, screen, id);
    case 'gemini_computer_use':
      return inputs.flatMap(geminiCalls).map(({ name, args }, index) => ({
        functionCall: { id: `${id}_${index}`, name, args },
        ...(index === 0 && { thoughtSignature: 'c2lnbmVk' }),
      }));
    default:
      throw new Error(`There is no tool ${String(tool)}`);
  }
}
