import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { ComputerTool } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { nativeBlocks, type NativeInput, type Point } from './native-blocks.ts';

/*
 * Converts the calls of a scripted policy to a turn of a provider's computer tool. The policy names elements; the turn names points of the
 * screenshot, or elements by `ref` where the tool has them.
 */

const CENTER: Point = { x: 500, y: 500 };

/** Functions of the request beside the tool. */
const FUNCTIONS: ReadonlySet<string> = new Set(['done', 'fail', 'ask', 'dialog', 'select']);

/** Center of the visible part of an element. @throws Error if it is not listed */
function pointOf(index: unknown, { elements, viewport }: Observation): Point {
  const element = elements.find((candidate) => candidate.index === index);
  if (!element) throw new Error(`No element has the number ${String(index)}`);
  const { x, y, width, height } = element.bounds;
  const middle = (start: number, size: number, limit: number) =>
    ((Math.max(0, start) + Math.min(limit, start + size)) / 2 / limit) * 1000;
  return { x: middle(x, width, viewport.width), y: middle(y, height, viewport.height) };
}

/** Inputs of one call. @throws Error for an action without an equivalent */
function inputsOf({ name, args: given }: ModelCall, page: Observation, hasRefs: boolean): NativeInput[] {
  const { action: actionName, ...args } = given;
  const action = name === 'act' ? String(actionName) : name;
  const options = action === 'select' && Array.isArray(args['option']) ? args['option'] : [];
  if (hasRefs && options.length === 1)
    return [{ kind: 'set', ref: Number(args['element']), value: String(options[0]) }];
  if (FUNCTIONS.has(action)) return [{ kind: 'function', name: action, args: name === 'act' ? args : given }];
  const ref = Number(args['element'] ?? Number.NaN);
  const element = page.elements.find(({ index }) => index === ref);
  const point = element ? pointOf(ref, page) : CENTER;
  const times = Number(args['times'] ?? 1);
  const click = (count: 1 | 2 | 3 = 1, button: 'left' | 'right' | 'middle' = 'left'): NativeInput => ({
    ...{ kind: 'click', point, ref, count, button },
  });
  const key = (...keys: string[]): NativeInput => ({ kind: 'key', keys, times: 1 });
  switch (action) {
    case 'click':
      return [click(times as 1 | 2 | 3, (args['button'] as 'right' | undefined) ?? 'left')];
    case 'hover':
      return [{ kind: 'hover', point, ref }];
    case 'drag':
      return [{ kind: 'drag', point, to: pointOf(args['to_element'], page) }];
    case 'scroll':
      return [{ kind: 'scroll', point, down: Number(args['down'] ?? 300) }];
    case 'type': {
      const text = String(args['text']);
      if (args['append'] === true) return [click(), key('End'), { kind: 'type', text }];
      if (hasRefs) return [{ kind: 'set', ref, value: text }];
      const isEmpty = (element?.value ?? '') === '';
      return [click(), ...(isEmpty ? [] : [key('Control', 'a')]), { kind: 'type', text }];
    }
    case 'clear':
      return [click(), key('Control', 'a'), key('Delete')];
    case 'check':
    case 'uncheck': {
      const isChecked = action === 'check';
      if (hasRefs) return [{ kind: 'set', ref, value: isChecked }];
      return element?.state.checked === isChecked ? [{ kind: 'wait', seconds: 1 }] : [click()];
    }
    case 'press': {
      const keyInput: NativeInput = { kind: 'key', keys: [String(args['key'])], times };
      // A click on a slider sets it: it starts again from its minimum.
      if (element?.role === 'slider')
        return [click(), key('Home'), { ...keyInput, times: Number(element.value ?? 0) + times }];
      return element === undefined || element.state.focused ? [keyInput] : [click(), keyInput];
    }
    case 'waitFor':
      return [{ kind: 'wait', seconds: 1 }];
    case 'read_page':
      return hasRefs ? [{ kind: 'readText' }] : [{ kind: 'scroll', point: CENTER, down: 2000 }];
    default:
      throw new Error(`No input does ${action}`);
  }
}

/** Request that a turn answers. */
interface OfferedRequest {
  /** Pixels of the screenshot. */
  readonly screen: { readonly width: number; readonly height: number };
  /** Names of the functions. */
  readonly functions: readonly string[];
}

/**
 * Blocks of a turn as the provider would send it.
 * @param page observation that the screenshot shows
 * @param id prefix of the ids, unique in a conversation
 * @throws Error for a call without an equivalent, or of a function that the request does not offer
 */
export function nativeTurn(
  tool: ComputerTool,
  calls: readonly ModelCall[],
  page: Observation,
  { screen, functions }: OfferedRequest,
  id: string,
): object[] {
  const hasRefs = tool === 'browser_toolset_20260801';
  const inputs = calls.flatMap((call) => inputsOf(call, page, hasRefs));
  const missing = inputs.find((input) => input.kind === 'function' && !functions.includes(input.name));
  if (missing?.kind === 'function') throw new Error(`The request offers no function ${missing.name}`);
  return nativeBlocks(tool, inputs, screen, id);
}
