import { Field, Input, Select } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import type { loader as namesLoader } from './secret-names.route.ts';

interface SecretInputFieldProps {
  name: string;
  label: string;
  hint: string;
  error: string | undefined;
  required: boolean;
}

/** Control for a secret input: a value, or a secret of the project. The form fields are `input.<name>` and `secret.<name>`. */
export function SecretInputField({ name, label, hint, error, required }: SecretInputFieldProps) {
  const { load, data } = useFetcher<typeof namesLoader>();
  const secrets = data?.result ?? [];
  const [selected, setSelected] = useState('');
  useEffect(() => void load('/search/secret-names'), [load]);
  return (
    <div className="grid gap-2">
      {secrets.length > 0 && (
        <Field label={`${label}: source`}>
          {(controlProps) => (
            <Select
              {...controlProps}
              name={`secret.${name}`}
              value={selected}
              onChange={({ currentTarget }) => setSelected(currentTarget.value)}
            >
              <option value="">Enter a value</option>
              {secrets.map((secret) => (
                <option key={secret} value={secret}>
                  Secret {secret}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {selected === '' ? (
        <Field label={label} hint={hint} error={error}>
          {(controlProps) => (
            <Input {...controlProps} name={`input.${name}`} required={required} type="password" autoComplete="off" />
          )}
        </Field>
      ) : (
        error && <p className="text-sm text-bad">{error}</p>
      )}
    </div>
  );
}
