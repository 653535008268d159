import { expectationArgs, toolCallOf } from '../tools/write-tool-call.ts';
import type { AnswerToWrite, WriteContext } from '../tools/written-answer.ts';

/** Writes an answer that `parseAura` reads. @throws UnwritableAction */
export function writeAura({ thought, actions, expects }: AnswerToWrite, context: WriteContext): string {
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
