import { Inject } from '@nestjs/common';
import type { A2uiAction, A2uiClientMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { answerRunSchema, type AnswerRun } from '@pilothouse/contract/run/run-question.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { viewActions, type ViewAction } from '@pilothouse/core/a2ui/a2ui-components';
import { runSurfaceId } from '@pilothouse/core/a2ui/a2ui-stream';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { HttpResponse } from '../http/http-response.ts';
import type { Caller } from '../http/route-request.ts';
import { validationError } from '../http/request-validation.ts';
import { RunsService } from '../runs/runs.service.ts';
import { LOG } from '../common/injection-tokens.ts';

/** Performs the actions of people on the A2UI surface of a run. */
export class A2uiActionsService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError VALIDATION_FAILED, NOT_FOUND, CONFLICT */
  async perform(
    caller: Caller,
    run: string,
    message: A2uiClientMessage,
  ): Promise<RunView | HttpResponse<RunView | undefined>> {
    await this.runs.find(caller, run);
    if ('error' in message) {
      const error = JSON.stringify(message.error).slice(0, 1_000);
      this.log.warn({ run, error }, 'A2UI client could not render a run');
      return new HttpResponse<undefined>(204, null);
    }
    const [part, action] = 'action' in message ? ['action', message.action] : ['userAction', message.userAction];
    const name = nameOf(action, part);
    if (action.surfaceId !== runSurfaceId(run)) {
      throw validationError('body', [
        { pointer: `/${part}/surfaceId`, detail: `The surface of run ${run} is \`${runSurfaceId(run)}\`` },
      ]);
    }
    if (name === 'cancel') return this.runs.cancel(caller, run);
    const { question } = action.context;
    // The action answers the question it was shown for, not a later one.
    const questionId = typeof question === 'string' ? question : '';
    return name === 'complete'
      ? this.runs.complete(caller, run, questionId)
      : this.runs.answer(caller, run, { ...answerOf(action, part), question: questionId });
  }
}

function nameOf({ name }: A2uiAction, part: string): ViewAction {
  const action = viewActions.find((candidate) => candidate === name);
  if (action) return action;
  throw validationError('body', [{ pointer: `/${part}/name`, detail: `Use one of ${viewActions.join(', ')}` }]);
}

/** @throws PilothouseError VALIDATION_FAILED */
function answerOf({ context }: A2uiAction, part: string): AnswerRun {
  const { choice, text } = context;
  const parsed = answerRunSchema.safeParse({ choice, ...(text !== '' && text !== undefined && { text }) });
  if (parsed.success) return parsed.data;
  const fields = fieldErrors(parsed.error);
  throw validationError(
    'body',
    fields.map(({ pointer, detail }) => ({ pointer: `/${part}/context${pointer}`, detail })),
  );
}
