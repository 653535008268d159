import { unwrapData } from '@pilothouse/client';
import type { ActionFunctionArgs } from 'react-router';
import { tryApi } from '../api/api-client.server.ts';
import { textOf, assertNever, intentOf } from '../api/form-fields.server.ts';
import { redirectTo } from '../api/redirect.ts';
import type { CompileResult } from './compile-dialog.tsx';
import { answerOf, dismissalOf } from './question/question-answer.server.ts';

/** Answers, completes, reopens, cancels, retries or compiles the run. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const params = { path: { run: args.params.run ?? '' } };
  const intent = answerOf(form) ?? intentOf(form, ['complete', 'reopen', 'cancel', 'retry', 'compile']);
  if (intent === 'compile') return compile(args, form);
  const { result, failure } = await tryApi(args, async ({ api }) => {
    if (typeof intent === 'object') return unwrapData(api.POST('/v1/runs/{run}/answer', { params, body: intent }));
    switch (intent) {
      case 'complete':
        return unwrapData(api.POST('/v1/runs/{run}/complete', { params, body: dismissalOf(form) }));
      case 'reopen':
        return unwrapData(api.POST('/v1/runs/{run}/reopen', { params }));
      case 'retry':
        return unwrapData(api.POST('/v1/runs/{run}/retry', { params }));
      case 'cancel':
        return unwrapData(api.POST('/v1/runs/{run}/cancel', { params }));
      default:
        return assertNever(intent);
    }
  });
  if (result && intent === 'retry') throw redirectTo(`/runs/${result.id}`);
  return { failure, compiled: undefined };
}

async function compile(args: ActionFunctionArgs, form: FormData) {
  const params = { path: { run: args.params.run ?? '' } };
  const body = { name: textOf(form, 'name').trim() || undefined, verify: textOf(form, 'verify') === 'on', inputs: {} };
  const { result, failure } = await tryApi(args, ({ api }) =>
    unwrapData(api.POST('/v1/runs/{run}/compile', { params, body })),
  );
  const compiled: CompileResult | undefined = result && {
    workflow: { name: result.workflow.name, version: result.workflow.version },
    notes: result.notes,
    verification: result.verification,
  };
  return { failure, compiled };
}
