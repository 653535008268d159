import { parseGeminiCall } from '../gemini.dialect.ts';
import { toPointLocator } from '../../tools/action-arguments.ts';
import { TurnRefused, actingPlan, describingPlan, type CallParser } from './native-call.ts';

/** Functions of the environment `mobile`. No surface executes them. */
const MOBILE_FUNCTIONS: ReadonlySet<string> = new Set([
  'open_app',
  'long_press',
  'long_press_at',
  'go_home',
  'list_apps',
]);

/** A call of Gemini's tool `computerUse`. Coordinates are thousandths of the screen. The checks of the call are its safety decision. */
export const parseGeminiComputerCall: CallParser = ({ name, args }, pointer, context) => {
  if (MOBILE_FUNCTIONS.has(name))
    throw new TurnRefused(`${name} belongs to the environment mobile; there is no mobile surface`);
  const { safety_decision: _, ...rest } = args;
  const planned = parseGeminiCall(name, rest, context);
  if (!planned) return null;
  const point = toPointLocator(args['x'], args['y'])?.point;
  const moved = point ? { ...pointer, position: point } : pointer;
  return planned.every(({ kind }) => kind === 'see') ? describingPlan('screenshot', moved) : actingPlan(planned, moved);
};
