import type { ModelAnswer } from '@pilothouse/contract';
import { MAX_MOVES, type Reading } from '../move.ts';
import { isAura, readAura } from './aura.ts';
import { readCalls, unreadable } from './calls.ts';
import { isDeskPilot, readDeskPilot } from './deskpilot.ts';
import { isEchoPrism, readEchoPrism } from './echo-prism.ts';
import type { Sight } from './place.ts';
import { isUiTars, readUiTars } from './ui-tars.ts';

/**
 * Reads what a model answered, whichever way it writes actions: function calls where there are any, else the dialect that the text is
 * of. Never throws; what is not understood is a problem and no action.
 */
export function readAnswer({ text, calls }: Pick<ModelAnswer, 'text' | 'calls'>, sight: Sight): Reading {
  const read = calls.length > 0 ? readCalls(text, calls, sight) : readText(text, sight);
  if (read.moves.length <= MAX_MOVES) return read;
  const problems = [...read.problems, `Only ${MAX_MOVES} actions are taken in a turn: the others were left out`];
  return { ...read, moves: read.moves.slice(0, MAX_MOVES), problems };
}

function readText(text: string, sight: Sight): Reading {
  if (isEchoPrism(text)) return readEchoPrism(text, sight);
  if (isUiTars(text)) return readUiTars(text, sight);
  if (isDeskPilot(text)) return readDeskPilot(text);
  if (isAura(text)) return readAura(text);
  return unreadable(text, 'There is no action in the answer: call a function');
}
