import { Field, FileInput, Input } from '@pilothouse/ui-kit';
import { useState, type ReactNode } from 'react';
import { postFiles } from '../../api/post-api.ts';
import { UPLOAD_PREFIX } from './tuning-form.ts';

export interface ExamplesFieldProps {
  name: string;
  label: string;
  hint: ReactNode;
  error: string | undefined;
  initialValue: string | undefined;
  disabled: boolean;
}

/** Source of examples: the id of an export, an address in a bucket, or a file that is uploaded at once. */
export function ExamplesField({ name, label, hint, error, initialValue = '', disabled }: ExamplesFieldProps) {
  const [value, setValue] = useState(initialValue);
  const [isUploading, setUploading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const upload = async (file: File) => {
    setUploading(true);
    setProblem(undefined);
    const { answer, error: failure } = await postFiles([file]);
    setUploading(false);
    const [id] = answer ?? [];
    if (id === undefined) setProblem(failure ?? 'Upload failed. Try again.');
    else setValue(`${UPLOAD_PREFIX}${id}`);
  };
  return (
    <div className="grid gap-2">
      <Field label={label} hint={hint} error={error}>
        {(controlProps) => (
          <Input
            {...controlProps}
            name={name}
            value={value}
            autoComplete="off"
            onChange={({ target }) => setValue(target.value)}
          />
        )}
      </Field>
      <Field
        label={`Upload ${label.toLowerCase()}`}
        hint={isUploading ? 'Uploading…' : 'Fills in the field above. JSON lines in the format of the tuner.'}
        error={problem}
      >
        {(controlProps) => (
          <FileInput
            {...controlProps}
            accept=".jsonl,.ndjson,.json"
            disabled={disabled || isUploading}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void upload(file);
            }}
          />
        )}
      </Field>
    </div>
  );
}
