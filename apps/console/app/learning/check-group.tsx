import { useId } from 'react';

interface CheckGroupProps {
  legend: string;
  /** Name of the checkboxes. */
  name: string;
  /** Labels by value. */
  choices: Readonly<Record<string, string>>;
  defaultValues: readonly string[];
  hint?: string;
  error?: string | undefined;
}

/** Checkboxes with a legend, a hint and an error. */
export function CheckGroup({ legend, name, choices, defaultValues, hint, error }: CheckGroupProps) {
  const descriptionId = useId();
  const description = error ?? hint;
  return (
    <fieldset aria-describedby={description === undefined ? undefined : descriptionId}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1.5">
        {Object.entries(choices).map(([value, label], index) => (
          <label key={value} className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              name={name}
              value={value}
              defaultChecked={defaultValues.includes(value)}
              // The page focuses the first invalid control.
              aria-invalid={error !== undefined && index === 0 ? true : undefined}
              className="size-4 accent-primary"
            />
            {label}
          </label>
        ))}
      </div>
      {description !== undefined && (
        <p id={descriptionId} className={error === undefined ? 'mt-1 text-xs text-muted' : 'mt-1 text-xs text-bad'}>
          {description}
        </p>
      )}
    </fieldset>
  );
}
