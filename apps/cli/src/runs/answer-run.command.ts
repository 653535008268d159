import { answerChoices, targetSchema, type AnswerChoice, type RunStatus, type Target } from '@pilothouse/contract';
import { Argument, InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, shortId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';

const DISMISS = 'dismiss';

/** `pilothouse answer`. */
export const answerCommand = (source = oneCli) =>
  newApiCommand(
    'answer',
    'answer the question of a run that waits for a person; `runs show` says what it asks',
    [
      'pilothouse answer last continue',
      'pilothouse answer last repeat --question 1.4.0',
      'pilothouse answer last continue --text "The grey one"',
      `pilothouse answer last repeat --target '{"role":"button","name":"Sign in"}'`,
      'pilothouse answer 0197f3c2-1a2b dismiss',
    ],
    source,
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .addArgument(
      new Argument(
        '<choice>',
        'continue: it happened, or go on; repeat: do it (again); decline: an agent looks for another way; fail: end it as failed; dismiss: as completed',
      ).choices([...answerChoices, DISMISS]),
    )
    .option(
      '--question <key>',
      'which question it answers, as it was shown; where another one is asked by now, that stays open',
    )
    .option('--text <words>', 'the answer in words, where an agent asks; it is kept with the run: no secrets')
    .option(
      '--target <json>',
      'with repeat: what a step means that does not find its element, as a workflow would say',
      targetOf,
    )
    .action(withApi(source, answer));

async function answer(
  api: Api,
  { terminal }: Cli,
  flags: ApiOptions & { readonly question?: string; readonly text?: string; readonly target?: Target },
  given: string,
  choice: AnswerChoice | typeof DISMISS,
): Promise<void> {
  const { text, target } = flags;
  const { id, status, question: open } = await findRun(api, given);
  if (!open && flags.question === undefined) throw asksNothing(id, status);
  // An API that gives no key takes none: which question is meant it cannot be told.
  if (open && open.key === undefined && flags.question !== undefined) throw namesNone();
  // What is asked after we looked is not what this answers.
  const question = flags.question ?? open?.key;
  const run =
    choice === DISMISS ? await api.dismiss(id, { question }) : await api.resume(id, { question, choice, text, target });
  if (flags.json) return terminal.out(json(run));
  if (choice === DISMISS) return terminal.out(`Run ${shortId(id)} is ${run.status}.`);
  terminal.out(`Run ${shortId(id)} goes on. Watch it: npx pilothouse logs -f ${shortId(id)}`);
}

/** What it comes to ask before the answer is there nobody has seen. */
const asksNothing = (id: string, status: RunStatus) =>
  usage(`Run ${shortId(id)} is ${status} and asks nothing.`, [
    `See what it asks: npx pilothouse logs -f ${shortId(id)}`,
  ]);

const namesNone = () =>
  usage('The API gives its questions no keys: it is older than this command.', [
    'Answer what is open now: leave out --question.',
  ]);

function targetOf(text: string): Target {
  try {
    const read = targetSchema.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    throw new InvalidArgumentError(read.error.issues[0]?.message ?? 'It is no locator.');
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new InvalidArgumentError(`It is no JSON: ${thrown.message}`);
  }
}
