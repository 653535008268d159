import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import type { Dialect } from '@pilothouse/contract/model/model.schema';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { writeCalls, expectationArgs, toolCallOf } from '../tools/write-tool-call.ts';
import {
  elementIndexOf,
  focusedIndex,
  UnwritableAction,
  unwritable,
  type AnswerToWrite,
  type WriteContext,
  type WrittenAnswer,
} from '../tools/written-answer.ts';
import { parseAnswer } from './read-answer.ts';
import { writeDeskPilot } from './write-deskpilot.ts';
import { writeEchoPrism } from './write-echo-prism.ts';
import { writeUiTars } from './write-ui-tars.ts';

/** Writes an answer that `parseAura` reads. @throws UnwritableAction */
function writeAura({ thought, actions, expects }: AnswerToWrite, context: WriteContext): string {
  const calls = actions.map((planned, index) => {
    const { name, args } = toolCallOf(planned, context);
    const { element, ...others } = args;
    const isLastAct = planned.kind === 'act' && index === actions.length - 1;
    return {
      action: name,
      ...(element !== undefined && { element_id: element }),
      ...others,
      ...(isLastAct && expectationArgs(expects, context)),
    };
  });
  return JSON.stringify({ thought, actions: calls });
}

/**
 * Writes an answer in a dialect, for training data. What the parser of the dialect would not read is `unwritable`, with the reason.
 * Never throws for a recorded answer.
 */
export function writeAnswer(dialect: Dialect, answer: AnswerToWrite, context: WriteContext): WrittenAnswer {
  if (answer.actions.length === 0) return { kind: 'unwritable', reason: 'The answer has no action' };
  try {
    const foreign = answer.actions.find(
      (planned) => planned.kind === 'act' && !surfaceSupport[context.surface].actions.has(planned.action.action),
    );
    if (foreign?.kind === 'act') unwritable(`A ${context.surface}`, `action \`${foreign.action.action}\``);
    const fields = writeIn(dialect, answer, context);
    const { problems, actions } = parseAnswer(
      { ...fields, dialect },
      { surface: context.surface, focused: typedElement(answer, context), image: context.image, secrets: [] },
    );
    const problem = problems[0] ?? (actions.length === 0 ? 'The parser of the dialect finds no action' : undefined);
    return problem === undefined
      ? { kind: 'written', ...fields }
      : { kind: 'unwritable', reason: `${dialect} cannot express the answer: ${problem}` };
  } catch (error) {
    if (error instanceof UnwritableAction) return { kind: 'unwritable', reason: error.message };
    throw error;
  }
}

/** Element with the focus after the clicks of the answer. */
function typedElement({ actions }: AnswerToWrite, context: WriteContext): number | null {
  const typed = actions.findLast((planned) => planned.kind === 'act' && planned.action.action === 'fill');
  if (typed?.kind !== 'act' || typed.action.action !== 'fill') return focusedIndex(context);
  // A field at a point has an index in the list after the click.
  return elementIndexOf(typed.action.target) ?? focusedIndex(context) ?? 0;
}

function writeIn(
  dialect: Dialect,
  answer: AnswerToWrite,
  context: WriteContext,
): Pick<Extract<WrittenAnswer, { kind: 'written' }>, 'text' | 'calls'> {
  const inText = (text: string) => ({ text, calls: [] });
  switch (dialect) {
    case 'calls':
      return { text: answer.thought, calls: writeCalls(answer, context) };
    case 'aura':
      return inText(writeAura(answer, context));
    case 'deskpilot':
      return inText(writeDeskPilot(answer, context));
    case 'echo-prism':
      return inText(writeEchoPrism(answer, context));
    case 'ui-tars':
    case 'ui-tars-1.5':
      return inText(writeUiTars(dialect, answer, context));
    default:
      return assertNever(dialect);
  }
}
