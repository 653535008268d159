import { unwrapData } from '@pilothouse/client';
import { Button, Card, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import {
  Form,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { tryApi, withApi, type Failure } from '../api/api-client.server.ts';
import { count, countOf, size } from '../shared/number-format.ts';
import { textOf, intentOf } from '../api/form-fields.server.ts';
import { FormProblem } from '../shared/form-problem.ts';
import { AgentNoteFields } from './agent-note-fields.tsx';
import { noteFieldOf } from './agent-note-form.ts';
import { budgetFieldOf } from './budget-form.ts';
import { modelFieldOf } from './model-form.ts';
import { siteFieldOf } from './site-limit-form.ts';
import { projectChange } from './project-form.ts';
import { BudgetFields } from './budget-fields.tsx';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { LearningFields } from './learning-fields.tsx';
import { ModelCheck } from './model-check.tsx';
import { ModelFields } from './model-fields.tsx';
import { SiteLimitFields } from './site-limit-fields.tsx';
import { UnsavedChanges, useFormChanges } from '../shared/unsaved-changes.tsx';
import { useRole } from '../page/use-role.ts';

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const [project, installation] = await Promise.all([
      unwrapData(api.GET('/v1/projects/current')),
      // During a rolling upgrade, an older API may not have this route.
      unwrapData(api.GET('/v1/models')).catch(() => null),
    ]);
    return { project, installation };
  });

/** Saves the project, checks a model, or previews or deletes expired data. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['save', 'preview-expired', 'delete-expired', 'check-model']);
  if (intent === 'check-model') {
    const model = textOf(form, 'model').trim();
    const { result, failure } = await tryApi(args, ({ api }) =>
      unwrapData(api.POST('/v1/models/check', { body: { ...(model !== '' && { model }) } })),
    );
    return { check: result, checkError: failure?.message };
  }
  if (intent === 'preview-expired' || intent === 'delete-expired') {
    const { result, failure } = await tryApi(args, ({ api }) =>
      unwrapData(api.POST('/v1/retention/runs', { body: { dryRun: intent === 'preview-expired' } })),
    );
    return { report: result, failure };
  }
  try {
    const body = projectChange((field) => textOf(form, field));
    const { failure } = await tryApi(args, ({ api }) =>
      unwrapData(api.PATCH('/v1/projects/current', { body: body as never })),
    );
    return { failure, isSaved: !failure };
  } catch (error) {
    if (!(error instanceof FormProblem)) throw error;
    return { fieldError: { field: error.field, message: error.message } };
  }
}

/** Form field of an API error pointer. */
const fieldOf = (pointer: string): string | undefined =>
  modelFieldOf(pointer) ??
  budgetFieldOf(pointer) ??
  siteFieldOf(pointer) ??
  noteFieldOf(pointer) ??
  (pointer.startsWith('/egress/allow') ? 'allow' : pointer.split('/').at(-1));

/** Summary of a failed save. Fields show their own messages. */
function problemOf(answer: { fieldError?: unknown; failure?: Failure | undefined } | undefined): string | undefined {
  const fields = answer?.fieldError ? 1 : (answer?.failure?.fields?.length ?? 0);
  if (fields === 0) return answer?.failure?.message;
  return `Not saved. Correct ${countOf(fields, 'field')}.`;
}

/** Sticky save button with the result of saving. */
const SaveBar = ({ busy, children }: { busy: boolean; children: ReactNode }) => (
  <div
    data-save-bar
    className="sticky bottom-0 z-10 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2 shadow-lg max-md:bottom-16"
  >
    <Button type="submit" name="intent" value="save" variant="primary" disabled={busy}>
      Save
    </Button>
    <span role="status" className="min-w-0 text-sm">
      {busy ? 'Saving…' : children}
    </span>
  </div>
);

export default function ProjectSettings({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { project, installation } = loaderData;
  const answer = useActionData<typeof action>();
  const isAdmin = useRole() === 'admin';
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  const isDirty = useFormChanges(form, answer?.isSaved ? answer : null);
  useEffect(() => {
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    invalid?.scrollIntoView({ block: 'center' });
    invalid?.focus({ preventScroll: true });
  }, [answer]);
  const [hostPolicy, setHostPolicy] = useState(project.egress.allow === null ? 'public' : 'listed');
  const errorOf = (field: string) =>
    answer?.fieldError?.field === field
      ? answer.fieldError.message
      : answer?.failure?.fields?.find(({ pointer }) => fieldOf(pointer) === field)?.detail;
  const problem = problemOf(answer);
  const number = (field: string, label: string, value: number | null, hint: string) => (
    <Field label={label} hint={hint} error={errorOf(field)}>
      {(controlProps) => (
        <Input {...controlProps} name={field} inputMode="numeric" defaultValue={value ?? ''} disabled={!isAdmin} />
      )}
    </Field>
  );
  return (
    <div className="grid max-w-5xl gap-3">
      <UnsavedChanges isDirty={isDirty} />
      <Form ref={form} method="post" className="grid gap-3">
        <Card title="Limits">
          {number(
            'maxConcurrentRuns',
            'Concurrency limit',
            project.maxConcurrentRuns,
            'Maximum running runs across all fleets. Blank: no limit.',
          )}
        </Card>
        <Card title="Retention">
          <div className="grid items-start gap-4 md:grid-cols-3">
            {number(
              'runsDays',
              'Runs (days)',
              project.retention.runsDays,
              'Counted from the end of the run. Blank: forever.',
            )}
            {number('eventsDays', 'Events and steps (days)', project.retention.eventsDays, 'Blank: same as runs.')}
            {number('artifactsDays', 'Artifacts (days)', project.retention.artifactsDays, 'Blank: same as runs.')}
          </div>
        </Card>
        <Card title="Allowed hosts">
          <div className="grid gap-4">
            <Field label="Access" error={errorOf('reach')}>
              {(controlProps) => (
                <Select
                  {...controlProps}
                  name="reach"
                  value={hostPolicy}
                  onChange={({ target }) => setHostPolicy(target.value)}
                  disabled={!isAdmin}
                >
                  <option value="public">Any public host</option>
                  <option value="listed">Only listed hosts</option>
                </Select>
              )}
            </Field>
            {hostPolicy === 'listed' && (
              <Field
                label="Host list"
                hint="One per line, e.g. *.example.com. An empty list blocks every host."
                error={errorOf('allow')}
              >
                {(controlProps) => (
                  <TextArea
                    {...controlProps}
                    name="allow"
                    rows={4}
                    className="font-mono"
                    defaultValue={project.egress.allow?.join('\n') ?? ''}
                    disabled={!isAdmin}
                  />
                )}
              </Field>
            )}
          </div>
        </Card>
        <Card title="Site rate limits">
          <SiteLimitFields politeness={project.politeness} disabled={!isAdmin} errorOf={errorOf} />
        </Card>
        <Card title="Budgets">
          <BudgetFields budgets={project.budgets} usage={project.usage} disabled={!isAdmin} errorOf={errorOf} />
        </Card>
        <Card title="Models">
          <ModelFields models={project.models} installation={installation} disabled={!isAdmin} errorOf={errorOf} />
        </Card>
        <Card title="Self-healing and action cache">
          <div className="grid gap-4 md:grid-cols-2">
            <Field label="Healed locators" hint="Default for workflows; applied after verification">
              {(controlProps) => (
                <Select
                  {...controlProps}
                  name="repairPolicy"
                  defaultValue={project.agents?.repairPolicy ?? ''}
                  disabled={!isAdmin}
                >
                  <option value="">Installation default (propose for review)</option>
                  <option value="propose">Propose for review</option>
                  <option value="publish">Publish automatically</option>
                </Select>
              )}
            </Field>
            <Field label="Action cache" hint="Default for workflows">
              {(controlProps) => (
                <Select
                  {...controlProps}
                  name="actionCache"
                  defaultValue={project.agents?.actionCache ?? ''}
                  disabled={!isAdmin}
                >
                  <option value="">Installation default (reuse without calling a model)</option>
                  <option value="auto">Reuse without calling a model</option>
                  <option value="never">Off</option>
                </Select>
              )}
            </Field>
          </div>
        </Card>
        <Card title="Notes for agents">
          <AgentNoteFields notes={project.agents?.notes ?? []} disabled={!isAdmin} errorOf={errorOf} />
        </Card>
        {/* Pages without traces link here. */}
        <div id="learning" className="scroll-mt-3">
          <Card title="Learning">
            <LearningFields learning={project.learning} disabled={!isAdmin} errorOf={errorOf} />
          </Card>
        </div>
        {isAdmin && (
          <SaveBar busy={busy}>
            {answer?.isSaved ? (
              <span className="text-good">Settings saved.</span>
            ) : (
              problem && <span className="text-bad wrap-anywhere">{problem}</span>
            )}
          </SaveBar>
        )}
      </Form>
      {isAdmin && (
        <ModelCheck
          model={project.models?.default?.use[0] ?? installation?.use[0]}
          result={answer?.check}
          busy={busy}
          error={answer?.checkError}
        />
      )}
      {isAdmin && (
        <Card title="Expired data">
          <Form method="post" className="flex flex-wrap items-center gap-2">
            <Button type="submit" name="intent" value="preview-expired" disabled={busy}>
              Preview
            </Button>
            <ConfirmButton
              disabled={busy}
              confirmation={{
                title: `Delete expired data of ${project.name}?`,
                text: 'Runs, events and artifacts beyond the retention limits are deleted. They cannot be restored.',
                verb: 'Delete now',
                onConfirm: () => void submit({ intent: 'delete-expired' }, { method: 'post' }),
              }}
            >
              Delete now
            </ConfirmButton>
            <span className="text-xs text-muted">Expired data is also deleted automatically every hour.</span>
          </Form>
          {answer?.report && (
            <p role="status" className="mt-3 text-sm">
              {answer.report.dryRun ? 'Would delete: ' : 'Deleted: '}
              {count(answer.report.runs)} runs, {count(answer.report.events)} events, {count(answer.report.artifacts)}{' '}
              artifacts, {count(answer.report.uploads)} uploads ({size(answer.report.bytes)})
            </p>
          )}
        </Card>
      )}
    </div>
  );
}
