import { unwrapData } from '@pilothouse/client';
import type { TuningEstimate } from '@pilothouse/contract/learning/tuning-progress.schema';
import { Button, buttonClass, Card, Field, Input, Notice, Select } from '@pilothouse/ui-kit';
import { useRef, type ReactNode } from 'react';
import {
  data,
  Form,
  Link,
  useActionData,
  useNavigation,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { requireRole, tryApi, withApi } from '../../api/api-client.server.ts';
import { textOf, intentOf } from '../../api/form-fields.server.ts';
import { redirectTo } from '../../api/redirect.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { count, countOf, dollars } from '../../shared/number-format.ts';
import { FactList } from '../fact-list.tsx';
import { modelScopes } from '../model-scopes.ts';
import { useInvalidFocus } from '../use-invalid-focus.ts';
import { ExamplesField } from './examples-field.tsx';
import { hyperparameterFields, tuningFieldOf, tuningRequestOf, tuningValuesOf, tunerLabels } from './tuning-form.ts';
import { requestOf } from './tuning-job.ts';

/** Estimated tokens and cost of a tuning job. */
function TuningCostEstimate({ estimate }: { estimate: TuningEstimate }) {
  const { examples, textTokens, imageTokens, images, epochs, isEpochsAssumed, trainedTokens, usd, reason } = estimate;
  const number = (value: number | null) => (value === null ? 'Not known' : count(value));
  return (
    <Card title="Estimate">
      <div role="status" className="grid gap-3">
        <p className="text-lg font-semibold">{usd === null ? 'Cost not known' : `About ${dollars(usd)}`}</p>
        {reason !== null && <p className="text-sm text-muted wrap-anywhere">{reason}</p>}
        <FactList
          facts={[
            ['Examples', `${number(examples)}${estimate.isExtrapolated ? ' (extrapolated)' : ''}`],
            ['Tokens of texts, per epoch', number(textTokens)],
            [
              'Tokens of images, per epoch',
              `${number(imageTokens)}${images === null ? '' : ` (${countOf(images, 'image')})`}`,
            ],
            ['Epochs', `${count(epochs)}${isEpochsAssumed ? ' (assumed, the tuner decides)' : ''}`],
            ['Trained tokens', number(trainedTokens)],
          ]}
        />
      </div>
    </Card>
  );
}

export const meta = () => [{ title: 'New tuning job · Pilothouse' }];

export async function loader(args: LoaderFunctionArgs) {
  await requireRole(args, 'admin');
  return withApi(args, async ({ api }) => {
    const { searchParams } = new URL(args.request.url);
    const job = searchParams.get('job');
    if (job === null)
      return { initialValues: { training: searchParams.get('export') ?? '' } as Readonly<Record<string, string>> };
    const earlier = await unwrapData(api.GET('/v1/learning/jobs/{job}', { params: { path: { job } } }));
    if (earlier.kind !== 'tune') throw data({ code: 'NOT_FOUND', message: '' }, { status: 404 });
    return { initialValues: tuningValuesOf(requestOf(earlier)) };
  });
}

/** Estimates or starts a tuning job. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const intent = intentOf(form, ['estimate', 'start']);
  const body = tuningRequestOf((field) => textOf(form, field));
  if (intent === 'estimate') {
    const { result, failure } = await tryApi(args, async ({ api }) =>
      unwrapData(api.POST('/v1/tuning/estimate', { body })),
    );
    return data({ estimate: result as TuningEstimate | undefined, failure }, { status: failure ? 400 : 200 });
  }
  const { result, failure } = await tryApi(args, ({ api }) => unwrapData(api.POST('/v1/tuning/jobs', { body })));
  if (result) throw redirectTo(`/learning/tuning/${result.id}`);
  return data({ estimate: undefined, failure }, { status: 400 });
}

export default function NewTuningJob({
  loaderData: { initialValues },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const answer = useActionData<typeof action>();
  const failure = answer?.failure;
  const isBusy = useNavigation().state !== 'idle';
  const form = useRef<HTMLFormElement>(null);
  useInvalidFocus(form, failure);
  const errorOf = (field: string) => failure?.fields?.find(({ pointer }) => tuningFieldOf(pointer) === field)?.detail;
  const text = (name: string, label: string, hint?: ReactNode) => (
    <Field label={label} hint={hint} error={errorOf(name)}>
      {(controlProps) => <Input {...controlProps} name={name} defaultValue={initialValues[name]} autoComplete="off" />}
    </Field>
  );
  const examples = (name: string, label: string, hint: ReactNode) => (
    <ExamplesField
      {...{ name, label, hint, error: errorOf(name), disabled: isBusy }}
      initialValue={initialValues[name]}
    />
  );
  const choice = (name: string, label: string, options: readonly (readonly [value: string, label: string])[]) => (
    <Field label={label} error={errorOf(name)}>
      {(controlProps) => (
        <Select {...controlProps} name={name} defaultValue={initialValues[name]}>
          {options.map(([value, option]) => (
            <option key={value} value={value}>
              {option}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Tuning', href: '/learning/tuning' }, { label: 'New tuning job' }]}
        title="New tuning job"
      />
      <Form ref={form} method="post" className="grid max-w-4xl gap-3">
        {failure && (
          <Notice tone="bad">
            {failure.fields?.length ? 'Nothing was started. Correct the marked fields.' : failure.message}
          </Notice>
        )}
        <Card title="Model">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {text('name', 'Name in the registry', 'Lowercase letters, digits and hyphens, e.g. rope-v2.')}
            {choice('tuner', 'Tuner', Object.entries(tunerLabels).toSorted())}
            {text('endpoint', 'Model endpoint', 'Configured model endpoint of the tuner.')}
            {text('trainer', 'Trainer (Kubernetes)', 'Name of a configured trainer. Blank for other tuners.')}
            {text('baseModel', 'Base model', 'As the tuner names it, e.g. Qwen/Qwen3-VL-8B-Instruct.')}
            {text('dialect', 'Dialect', 'Format of actions in the examples. Blank: that of the project.')}
            {modelScopes.map(({ name, label, options }) => (
              <div key={name}>
                {choice(name, label, [['', 'All'], ...options.map((option) => [option, option] as const)])}
              </div>
            ))}
          </div>
        </Card>
        <Card title="Examples">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {examples(
              'training',
              'Training examples',
              'Export id. Vertex AI: also a gs:// URI. Kubernetes: also a gs:// or s3:// URI.',
            )}
            {examples('validation', 'Validation examples', 'The same id uses its validation.jsonl. Blank: none.')}
            {choice('method', 'Method', [
              ['supervised', 'Supervised'],
              ['preference', 'Preference pairs'],
            ])}
          </div>
        </Card>
        <Card title="Hyperparameters">
          <div className="grid items-start gap-4 sm:grid-cols-2">
            {hyperparameterFields.map(({ name, label }) => (
              <div key={name}>{text(name, label, 'Blank: the tuner decides.')}</div>
            ))}
          </div>
        </Card>
        {answer?.estimate && <TuningCostEstimate estimate={answer.estimate} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" name="intent" value="estimate" disabled={isBusy}>
            Estimate cost
          </Button>
          <Button
            type="submit"
            name="intent"
            value="start"
            variant="primary"
            disabled={isBusy || answer?.estimate === undefined}
          >
            Start tuning
          </Button>
          <Link to="/learning/tuning" className={buttonClass()}>
            Cancel
          </Link>
        </div>
        {answer?.estimate === undefined && (
          <p className="text-sm text-muted">Estimate the cost first. The tuner charges the actual cost.</p>
        )}
      </Form>
    </>
  );
}
