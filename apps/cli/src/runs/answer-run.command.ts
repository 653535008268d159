import { targetSchema, type Target } from '@pilothouse/contract/actions/locator.schema';
import { answerChoices, type AnswerChoice } from '@pilothouse/contract/run/run-question.schema';
import type { RunStatus } from '@pilothouse/contract/run/run-status';
import { Argument, InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT, shortId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';

/** Ends the run as completed. */
const COMPLETE = 'complete';

/** `pilothouse runs answer`. */
export const answerCommand = (source = processSource) =>
  newApiCommand(
    'answer',
    'Answer a run that needs input. `runs show` prints the question.',
    [
      'pilothouse runs answer last continue',
      'pilothouse runs answer last retry --question 1.4.0',
      'pilothouse runs answer last continue --text "The gray one"',
      `pilothouse runs answer last retry --target '{"role":"button","name":"Sign in"}'`,
      'pilothouse runs answer 0197f3c2-1a2b complete',
    ],
    source,
  )
    .argument('<run>', RUN_ARGUMENT)
    .addArgument(
      new Argument(
        '<choice>',
        'continue: treat the step as done · retry: execute the step again · decline: let the agent try another way · fail: end as failed · complete: end as completed',
      ).choices([...answerChoices, COMPLETE]),
    )
    .option('--question <key>', 'question key as printed; a newer question stays open')
    .option('--text <text>', 'free-text answer for an agent; stored with the run, no secrets')
    .option('--target <json>', 'with retry: a new locator for the step, as JSON', parseTarget)
    .action(withApi(source, answer));

async function answer(
  api: Api,
  { terminal }: Cli,
  flags: ApiOptions & { readonly question?: string; readonly text?: string; readonly target?: Target },
  run: string,
  choice: AnswerChoice | typeof COMPLETE,
): Promise<void> {
  const { text, target } = flags;
  const { id, status, question: open } = await findRun(api, run);
  if (!open && flags.question === undefined) throw noOpenQuestion(id, status);
  // A question that was opened after the request is not answered.
  const question = flags.question ?? open?.key;
  const updated =
    choice === COMPLETE
      ? await api.complete(id, { question })
      : await api.answer(id, { question, choice, text, target });
  if (flags.json) return terminal.out(json(updated));
  if (choice === COMPLETE) return terminal.out(`Run ${shortId(id)} is ${updated.status}.`);
  terminal.out(`Run ${shortId(id)} resumed. Follow it: npx pilothouse logs -f ${shortId(id)}`);
}

/** Error for a run without an open question. A question that opens later is not answered. */
const noOpenQuestion = (id: string, status: RunStatus) =>
  usage(`Run ${shortId(id)} is ${status}; it has no open question.`, [
    `Follow it: npx pilothouse logs -f ${shortId(id)}`,
  ]);

function parseTarget(text: string): Target {
  try {
    const parsed = targetSchema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(parsed.error.issues[0]?.message ?? 'Invalid locator.');
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new InvalidArgumentError(`Invalid JSON: ${thrown.message}`);
  }
}
