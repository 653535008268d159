import type { ModelAbility, ModelCheck as ModelCheckResult } from '@pilothouse/contract/model/model-check.schema';
import { Button, Card, Cell, Field, Input, Table } from '@pilothouse/ui-kit';
import { Form, useNavigation } from 'react-router';

export interface ModelCheckProps {
  /** Model that the field proposes; undefined: none is configured. */
  model: string | undefined;
  /** undefined: not checked yet */
  result: ModelCheckResult | undefined;
  busy: boolean;
  error: string | undefined;
}

const abilityNames: Readonly<Record<ModelAbility, string>> = {
  text: 'Text',
  functions: 'Functions',
  schema: 'JSON schema',
  image: 'Image',
  streaming: 'Streaming',
};

/** Calls a model once per ability, and shows what works. */
export function ModelCheck({ model, result, busy, error }: ModelCheckProps) {
  const isChecking = useNavigation().formData?.get('intent') === 'check-model';
  return (
    <Card title="Model check">
      <Form method="post" className="flex flex-wrap items-start gap-2">
        <Field label="Model" error={isChecking ? undefined : error} className="min-w-60 flex-1">
          {(controlProps) => (
            <Input
              {...controlProps}
              name="model"
              defaultValue={model}
              placeholder="endpoint/model"
              className="font-mono"
            />
          )}
        </Field>
        <Button type="submit" name="intent" value="check-model" disabled={busy} className="sm:mt-6">
          {isChecking ? 'Checking…' : 'Check model'}
        </Button>
      </Form>
      <p className="mt-2 text-xs text-muted">
        Makes five calls. Their usage counts in the monthly budget. Each call may take a minute.
      </p>
      {isChecking && (
        <p role="status" className="mt-3 text-sm">
          The model is called once per ability. A slow server may take five minutes.
        </p>
      )}
      {result && !isChecking && (
        <div role="status" className="mt-3 grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2 text-sm">
          <Table
            label={`Abilities of ${result.model}`}
            isFirstFixed
            head={['Ability', 'Works', 'Seconds', 'Tokens/s', 'Answer']}
          >
            {result.abilities.map(({ ability, works, seconds, tokensPerSecond, detail }) => (
              <tr key={ability}>
                <Cell>{abilityNames[ability]}</Cell>
                <Cell className={works === null ? '' : works ? 'text-good' : 'text-bad'}>
                  {works === null ? 'unknown' : works ? 'yes' : 'no'}
                </Cell>
                <Cell>{seconds.toFixed(1)}</Cell>
                <Cell>{tokensPerSecond === null ? '' : tokensPerSecond.toFixed(1)}</Cell>
                <Cell className="min-w-64 wrap-anywhere">{detail}</Cell>
              </tr>
            ))}
          </Table>
          <p>
            {result.dialect === null
              ? result.abilities.some(({ works }) => works === null)
                ? 'Some calls got no answer. Check the model again.'
                : 'The model does not work. Correct its endpoint, name or key first.'
              : `Recommended action format: ${result.dialect}.`}
          </p>
          {Object.keys(result.settings).length > 0 && (
            <p>
              Add to PILOTHOUSE_MODEL_OVERRIDES:{' '}
              <code className="font-mono text-xs wrap-anywhere">
                {JSON.stringify({ [result.model]: result.settings })}
              </code>
            </p>
          )}
        </div>
      )}
    </Card>
  );
}
