import { Inject } from '@nestjs/common';
import {
  fieldProblems,
  resumeRunSchema,
  type A2uiAction,
  type A2uiClientMessage,
  type ResumeRun,
  type RunView,
} from '@pilothouse/contract';
import { surfaceOf, viewActions, type Log, type ViewAction } from '@pilothouse/core';
import { Answer } from '../http/answer.ts';
import type { Caller } from '../http/call.ts';
import { invalid } from '../http/check.ts';
import { RunsService } from '../runs/runs.service.ts';
import { LOG } from '../tokens.ts';

/** Carries out what a person did on the surface of a run. */
export class ActionsService {
  constructor(
    @Inject(RunsService) private readonly runs: RunsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws PilothouseError VALIDATION_FAILED, NOT_FOUND, CONFLICT */
  async act(caller: Caller, run: string, message: A2uiClientMessage): Promise<RunView | Answer<RunView | undefined>> {
    await this.runs.find(caller, run);
    if ('error' in message) {
      const error = JSON.stringify(message.error).slice(0, 1_000);
      this.log.warn({ run, error }, 'a client could not draw a run');
      return new Answer<undefined>(204, null);
    }
    const [part, action] = 'action' in message ? ['action', message.action] : ['userAction', message.userAction];
    const name = nameOf(action, part);
    if (action.surfaceId !== surfaceOf(run)) {
      throw invalid('body', [
        { pointer: `/${part}/surfaceId`, detail: `This is run ${run}; its surface is \`${surfaceOf(run)}\`` },
      ]);
    }
    if (name === 'cancel') return this.runs.cancel(caller, run);
    const { question } = action.context;
    // What was asked meanwhile is not what this answers.
    const asked = typeof question === 'string' ? question : '';
    return name === 'dismiss'
      ? this.runs.dismiss(caller, run, asked)
      : this.runs.resume(caller, run, { ...answerOf(action, part), question: asked });
  }
}

function nameOf({ name }: A2uiAction, part: string): ViewAction {
  const known = viewActions.find((one) => one === name);
  if (known) return known;
  throw invalid('body', [{ pointer: `/${part}/name`, detail: `Use one of ${viewActions.join(', ')}` }]);
}

/** @throws PilothouseError VALIDATION_FAILED */
function answerOf({ context }: A2uiAction, part: string): ResumeRun {
  const { choice, text } = context;
  const parsed = resumeRunSchema.safeParse({ choice, ...(text !== '' && text !== undefined && { text }) });
  if (parsed.success) return parsed.data;
  const fields = fieldProblems(parsed.error);
  throw invalid(
    'body',
    fields.map(({ pointer, detail }) => ({ pointer: `/${part}/context${pointer}`, detail })),
  );
}
