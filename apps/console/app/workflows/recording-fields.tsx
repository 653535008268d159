import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import { Field, Select } from '@pilothouse/ui-kit';

const choices = [
  {
    name: 'screenshots',
    label: 'Screenshots',
    options: {
      none: 'None',
      'only-on-failure': 'On failure',
      on: 'Every step',
      'before-and-after': 'Before and after every step',
    },
  },
  { name: 'video', label: 'Video', options: { none: 'None', small: 'Small', full: 'Full size' } },
  {
    name: 'har',
    label: 'Network log (HAR)',
    options: { none: 'None', headers: 'Requests', bodies: 'Requests with bodies' },
  },
] as const;

/** Capture options of a run: form fields `capture.*`, read by `captureOf`. */
export const RecordingFields = ({ capture = { screenshots: 'only-on-failure' } }: { capture?: RunCapture }) => (
  <div className="grid gap-4 md:grid-cols-2">
    {choices.map(({ name, label, options }) => (
      <Field key={name} label={label}>
        {(controlProps) => (
          <Select {...controlProps} name={`capture.${name}`} defaultValue={capture[name] ?? 'none'}>
            {Object.entries(options).map(([value, optionLabel]) => (
              <option key={value} value={value}>
                {optionLabel}
              </option>
            ))}
          </Select>
        )}
      </Field>
    ))}
    <label className="flex items-center gap-2 self-end text-sm font-medium md:h-8">
      <input
        type="checkbox"
        name="capture.console"
        defaultChecked={capture.console ?? false}
        className="size-4 accent-primary"
      />
      Browser console log
    </label>
  </div>
);
