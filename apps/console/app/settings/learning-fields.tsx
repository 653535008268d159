import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import type { TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import { DEFAULT_SAMPLE_PERCENT } from '@pilothouse/contract/agent/turn-recording-modes';
import { Field, Input, Select } from '@pilothouse/ui-kit';
import { useState } from 'react';

const labels: Record<TurnRecording, string> = {
  off: 'Off',
  failures: 'Failed, unverified and taken-over goals, healed steps',
  sample: 'A share of runs',
  all: 'Every run',
};

interface LearningFieldsProps {
  readonly learning: LearningSettings | null;
  readonly disabled: boolean;
  errorOf(field: string): string | undefined;
}

/** Fields of turn recording: `turns`, `samplePercent` and `shareTraces`, read by `learningOf`. */
export function LearningFields({ learning, disabled, errorOf }: LearningFieldsProps) {
  const [turns, setTurns] = useState<string>(learning?.record.turns ?? 'off');
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Field
        label="Recorded turns"
        hint="Screenshot, element list, thought and actions of each agent turn. Workflows and runs can override this."
        error={errorOf('turns')}
      >
        {(controlProps) => (
          <Select
            {...controlProps}
            name="turns"
            value={turns}
            onChange={({ target }) => setTurns(target.value)}
            disabled={disabled}
          >
            {Object.entries(labels).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Sample (% of runs)"
        hint={`Used where the mode is “${labels.sample}”. Blank: ${DEFAULT_SAMPLE_PERCENT}.`}
        error={errorOf('samplePercent')}
      >
        {(controlProps) => (
          <Input
            {...controlProps}
            name="samplePercent"
            inputMode="numeric"
            defaultValue={learning?.record.samplePercent ?? ''}
            disabled={disabled}
          />
        )}
      </Field>
      <label className="flex items-center gap-2 text-sm font-medium md:col-span-2">
        <input
          type="checkbox"
          name="shareTraces"
          defaultChecked={learning?.shareTraces ?? false}
          disabled={disabled}
          className="size-4 accent-primary"
        />
        Allow runs of this project in datasets of other projects
      </label>
    </div>
  );
}
